#include "model/query/event_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "model/base/radix_sort.h"
#include "model/formats/chrome/raw_events.h"
#include "model/query/json_leaves.h"

namespace lacuna {
namespace {

/// Sizes in Perfetto's pool of strings, whose offsets it takes for numbers: in front of the text of a trace lie its
/// own strings (of 2026-08), each with five bytes beside its text, in blocks of 4 MiB. Found by its answers.
class PoolNumbers {
 public:
  /// Notes that a text is interned. Its number, once and for all.
  std::uint32_t add(std::string_view text) {
    if (text.empty()) return kEmptyText;
    const std::uint64_t size = text.size() + kBesideText;
    if (offset_ + size > kBlock) {
      ++block_;
      offset_ = 0;
    }
    const auto number = static_cast<std::uint32_t>(block_ * kBlock + offset_);
    offset_ += size;
    return number;
  }

 private:
  static constexpr std::uint64_t kOwnStrings = 54001;
  static constexpr std::uint32_t kEmptyText = 313;
  static constexpr std::uint64_t kBesideText = 5;
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 22;
  std::uint64_t offset_ = kOwnStrings;
  std::uint64_t block_ = 0;
};

class StreamReader {
 public:
  StreamReader(const Trace& trace, unsigned threads, const std::atomic<bool>* cancel)
      : trace_(trace), threads_(threads), cancel_(cancel) {}

  Result<EventStream> read() {
    stream_.events.reserve(trace_.event_count());
    std::vector<const ByteSource*> seen;
    for (std::uint32_t s = 0; s < trace_.sources().size(); ++s) {
      stream_.first_of_source.push_back(stream_.events.size());
      const TraceSource& source = trace_.sources()[s];
      if (!source.bytes) {
        if (!source.is_rank_of_file) add_from_model(SourceId{s});
        continue;
      }
      // Ranks of one file share its bytes.
      if (std::ranges::find(seen, source.bytes.get()) != seen.end()) continue;
      seen.push_back(source.bytes.get());
      if (auto done = add_from_file(source); !done) return tl::make_unexpected(done.error());
    }
    stream_.first_of_source.push_back(stream_.events.size());
    return std::move(stream_);
  }

 private:
  Result<void> add_from_file(const TraceSource& source) {
    bool has_metadata = false;
    return read_raw_events(source, threads_, cancel_, [&](RawEventList list, const TraceSource& facts) {
      if (!has_metadata) has_metadata = take_metadata(facts);
      if (!facts.display_time_unit.empty()) stream_.display_units = 1;
      std::vector<StringId> names(list.strings.size());
      for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = intern(list.strings.get(StringId{i}));
      stream_.tokenizer_failures += list.without_phase + list.without_time;
      using IdKind = RawEvent::IdKind;
      const auto map = [&](std::uint64_t id) { return names[static_cast<std::size_t>(id)].value; };
      for (RawEvent& e : list.events) {
        if (e.name.valid()) e.name = names[e.name.value];
        if (e.category.valid()) e.category = names[e.category.value];
        if (e.pid_kind == IdKind::kText) e.pid = map(e.pid);
        if (e.tid_kind == IdKind::kText) e.tid = map(e.tid);
        if (e.id_kind == IdKind::kText) e.id = map(e.id);
        if (e.bind_id_kind == IdKind::kText) e.bind_id = map(e.bind_id);
        if (e.phase != 'M' || e.ts != 0) e.ts += source.shift_ns;
        stream_.events.push_back(e);
      }
    });
  }

  StringId intern(std::string_view text) {
    const std::uint32_t before = stream_.strings.size();
    const StringId id = stream_.strings.intern(text);
    if (stream_.pool_numbers.empty()) stream_.pool_numbers.push_back(numbers_.add({}));
    if (stream_.strings.size() != before) stream_.pool_numbers.push_back(numbers_.add(text));
    return id;
  }

  /// Perfetto keeps these, and counts their text among its strings.
  bool take_metadata(const TraceSource& facts) {
    const auto found =
        std::ranges::find(facts.metadata, std::string("metadata"), [](const auto& entry) { return entry.first; });
    if (found == facts.metadata.end()) return false;
    for_each_json_member(found->second, [&](std::string_view key, std::string_view value) {
      stream_.metadata.emplace_back(std::string(key), std::string(value));
      intern(fmt::format("json_metadata.{}", key));
      const JsonScalar scalar = read_json_scalar(value);
      if (scalar.kind == JsonScalar::Kind::kText || scalar.kind == JsonScalar::Kind::kContainer) intern(scalar.text);
      if (scalar.kind == JsonScalar::Kind::kReal && scalar.real != std::trunc(scalar.real))
        intern(fmt::format("{:g}", scalar.real));
    });
    return true;
  }

  /// Of a capture, whose events are kept nowhere: what the trace makes of them.
  void add_from_model(SourceId source) {
    for (const Track& track : trace_.tracks()) {
      const Process& process = trace_.process(track.process);
      if (process.source != source) continue;
      RawEvent e;
      identify(process.pid, e.pid, e.pid_kind);
      identify(track.tid, e.tid, e.tid_kind);
      e.phase = 'X';
      for (const Lane& lane : trace_.lanes_of(track)) {
        for (std::uint32_t i = 0; i < lane.size(); ++i) {
          e.ts = lane.start(i);
          e.dur = lane.duration(i);
          e.file_offset = lane.file_offset(i);
          e.name = intern(trace_.text(lane.name(i)));
          e.category = StringId{};
          const std::string_view category = trace_.category_name(lane.category(i));
          if (!category.empty()) e.category = intern(category);
          stream_.events.push_back(e);
        }
      }
      e.phase = 'i';
      e.scope = RawEvent::Scope::kThread;
      e.dur = RawEvent::kNoTime;
      for (const Instant& instant : track.instants) {
        e.ts = instant.time;
        e.file_offset = instant.file_offset;
        e.name = intern(trace_.text(instant.name));
        stream_.events.push_back(e);
      }
    }
  }

  void identify(StringId text, std::uint32_t& value, RawEvent::IdKind& kind) {
    const std::string_view written = trace_.text(text);
    const JsonScalar scalar = read_json_scalar(written);
    const bool is_number =
        scalar.kind == JsonScalar::Kind::kInteger && scalar.number >= 0 && scalar.number <= 0xffffffffLL;
    kind = is_number ? RawEvent::IdKind::kNumber : RawEvent::IdKind::kText;
    value = is_number ? static_cast<std::uint32_t>(scalar.number) : intern(written).value;
  }

  const Trace& trace_;
  const unsigned threads_;
  const std::atomic<bool>* const cancel_;
  EventStream stream_;
  PoolNumbers numbers_;
};

/// Of events at the same time: ends first, then complete ones, the longer ones first, then the others.
std::int64_t rank_at_same_time(const RawEvent& event) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  if (event.phase == 'E') return std::numeric_limits<std::int64_t>::min();
  return event.phase == 'X' ? (event.dur < 0 ? kLast : kLast - event.dur) : kLast;
}

}  // namespace

Result<EventStream> read_event_stream(const Trace& trace, unsigned threads, const std::atomic<bool>* cancel) {
  return StreamReader(trace, threads, cancel).read();
}

PageVector<std::uint32_t> playing_order(const PageVector<RawEvent>& events, std::size_t first, std::size_t last) {
  PageVector<SortKey> keys, scratch;
  keys.resize(last - first);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = {static_cast<std::uint64_t>(events[first + i].ts) ^ kSign, static_cast<std::uint32_t>(first + i)};
  radix_sort(keys, scratch);
  PageVector<std::uint32_t> order;
  order.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].index;
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t j = i + 1;
    while (j < keys.size() && keys[j].key == keys[i].key) ++j;
    if (j - i > 1) {
      std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(i), order.begin() + static_cast<std::ptrdiff_t>(j),
                       [&](std::uint32_t a, std::uint32_t b) {
                         return rank_at_same_time(events[a]) < rank_at_same_time(events[b]);
                       });
    }
    i = j;
  }
  return order;
}

}  // namespace lacuna
