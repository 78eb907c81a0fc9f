#include "model/formats/chrome/event_reader.h"

#include <algorithm>
#include <utility>

#include "model/formats/chrome/boundaries.h"
#include "model/formats/chrome/raw_events.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

constexpr std::size_t kLargestWindow = std::size_t{32} << 20;  // larger events are read tolerantly
constexpr std::size_t kBeyondLimit = 4096;                     // read past the limit: the entry that crosses it
constexpr std::uint64_t kFarthestBack = 256;                   // blanks before a boundary
constexpr std::size_t kGuessBytes = 64 * 1024;

}  // namespace

/// State of one read().
struct EventReader::Pass {
  std::uint64_t at;  // everything before is read
  const std::uint64_t limit;
  EventBatch& batch;
  ChromeEvents events;
  RawEvents raw;
  const bool is_raw;
  unsigned doublings = 0;   // of the window, for an entry that did not fit
  bool is_largest = false;  // it cannot be doubled any more
  Outcome outcome{};

  void add(const EventWalker& tokens, const EventFields& fields, std::uint64_t offset) {
    if (is_raw) {
      raw.add(tokens, fields, offset);
    } else {
      events.add(tokens, fields, offset);
    }
  }
  bool finish(End end, std::uint64_t position) {
    outcome = {end, position};
    return false;
  }
  bool go_on(std::uint64_t position) {
    doublings = position == at ? doublings + 1 : 0;
    at = position;
    return at < limit || finish(End::kLimit, at);
  }
};

EventReader::EventReader(const ByteSource& source, std::size_t window_bytes, bool tolerant_only,
                         std::span<const std::string> skipped, bool raw, bool times_in_ns)
    : window_bytes_(std::max<std::size_t>(window_bytes, 1)),
      tolerant_only_(tolerant_only),
      raw_(raw),
      times_in_ns_(times_in_ns),
      skipped_(skipped),
      window_(source),
      tolerant_(source) {}

EventReader::Outcome EventReader::read(std::uint64_t from, std::uint64_t limit, EventBatch& batch) {
  Pass pass{.at = from,
            .limit = limit,
            .batch = batch,
            .events = ChromeEvents(batch, skipped_, times_in_ns_),
            .raw = RawEvents(batch.raw),
            .is_raw = raw_};
  if (from >= limit) return {End::kLimit, from};
  while (read_window(pass)) {
  }
  return pass.outcome;
}

bool EventReader::read_window(Pass& pass) {
  const std::uint64_t start = pass.at;
  if (tolerant_only_) return read_tolerantly(pass, start, start + window_bytes_, false);
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(window_bytes_, pass.limit - start + kBeyondLimit));
  const std::size_t size = std::min(wanted << pass.doublings, kLargestWindow);
  pass.is_largest = size == kLargestWindow;
  std::string_view text = window_.at(start, size);
  const bool is_last = text.size() < size;
  text = text.substr(0, size);
  if (!is_last) {
    const std::size_t cut = last_boundary(text);
    if (cut == kNoBoundary) {
      if (pass.is_largest) return read_tolerantly(pass, start, start + 1, false);
      return pass.go_on(start);
    }
    text = text.substr(0, cut);
  }
  char& behind = window_.data(start)[text.size()];
  const char saved = std::exchange(behind, '\0');
  bool goes_on = false;
  if (structurals_.index(text.data(), text.size())) {
    walker_.start(text.data(), structurals_);
    goes_on = walk(pass, start + text.size(), is_last);
  } else {
    goes_on = read_tolerantly(pass, start, start + text.size(), false);
  }
  behind = saved;
  return goes_on;
}

bool EventReader::walk(Pass& pass, std::uint64_t window_end, bool is_last) {
  const std::uint64_t start = pass.at;
  EventFields fields;
  while (true) {
    const EventWalker::Step step = walker_.next(fields);
    const std::uint64_t at = start + walker_.position();
    switch (step) {
      case EventWalker::Step::kEvent:
        if (at >= pass.limit) return pass.finish(End::kLimit, at);
        pass.add(walker_, fields, at);
        break;
      case EventWalker::Step::kNotEvent:
        if (at >= pass.limit) return pass.finish(End::kLimit, at);
        pass.events.add_non_event(at);
        break;
      case EventWalker::Step::kListEnd:
        if (walker_.has_trailing_comma()) pass.batch.report.add(Finding::kTrailingComma, at);
        return pass.finish(End::kListEnd, at);
      case EventWalker::Step::kTextEnd:
        if (!is_last) return pass.go_on(window_end);
        if (walker_.has_trailing_comma()) pass.batch.report.add(Finding::kTrailingComma, window_end);
        return pass.finish(End::kDataEnd, window_end);
      case EventWalker::Step::kBroken: {
        const bool may_fit = at != start || !pass.is_largest;
        if (walker_.ran_out() && !is_last && may_fit) return pass.go_on(at);
        return read_tolerantly(pass, at, std::max(window_end, at + 1), walker_.lacks_comma());
      }
    }
  }
}

/// Reads the entries that begin in [from, up_to).
bool EventReader::read_tolerantly(Pass& pass, std::uint64_t from, std::uint64_t up_to, bool lacks_comma) {
  tolerant_.start(from, lacks_comma, pass.batch.report);
  while (true) {
    const TolerantList::Found found = tolerant_.find_entry();
    const std::uint64_t at = tolerant_.offset();
    if (found == TolerantList::Found::kListEnd) return pass.finish(End::kListEnd, at);
    if (found == TolerantList::Found::kDataEnd) return pass.finish(End::kDataEnd, at);
    if (at >= pass.limit || at >= up_to) return pass.go_on(at);
    switch (tolerant_.read_entry()) {
      case TolerantList::Read::kEvent:
        pass.add(tolerant_.tokens(), tolerant_.fields(), at);
        break;
      case TolerantList::Read::kOther:
        pass.events.add_non_event(at);
        break;
      case TolerantList::Read::kUnreadable:
        break;
      case TolerantList::Read::kCutOff:
        return pass.finish(End::kCutOff, tolerant_.offset());
    }
  }
}

std::optional<std::uint64_t> EventReader::guess_start(std::uint64_t begin, std::uint64_t limit,
                                                      std::uint64_t look_back) {
  std::uint64_t from = begin - std::min<std::uint64_t>(look_back, kFarthestBack);
  while (true) {
    // Candidates are looked for in the first half, what follows them in the second as well.
    const std::string_view text = window_.at(from, 2 * kGuessBytes);
    const std::size_t searched = std::min(text.size(), kGuessBytes);
    for (std::size_t at = static_cast<std::size_t>(begin - from); at < searched; ++at) {
      at = first_boundary(text, at);
      if (at >= searched) break;
      if (from + at >= limit) return {};
      if (looks_like_event(text.substr(at))) return from + at;
    }
    begin = from + searched;
    if (searched < kGuessBytes || begin >= limit) return {};
    from = begin - kFarthestBack;
  }
}

}  // namespace lacuna
