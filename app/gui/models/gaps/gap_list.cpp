#include "app/gui/models/gaps/gap_list.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/gaps/gpu_idle.h"

namespace lacuna {
namespace {

constexpr Nanos kDefaultMinGapNs = 10'000;

/// The order of a list: that of the column, then of time, then of streams.
class RowOrder {
 public:
  /// All are borrowed. `verdicts` may be null.
  RowOrder(const Document& document, const GapVerdicts* verdicts, const GapRows::Order& order)
      : document_(document), verdicts_(verdicts), order_(order) {}

  bool operator()(GapRef a, GapRef b) const {
    const auto by_column = compare(a, b);
    if (by_column != 0) return order_.descending ? by_column > 0 : by_column < 0;
    return std::tuple(get(document_, a).start, a) < std::tuple(get(document_, b).start, b);
  }

 private:
  std::weak_ordering compare(GapRef a, GapRef b) const {
    const Gap& x = get(document_, a);
    const Gap& y = get(document_, b);
    switch (order_.column) {
      case GapColumn::kDuration:
        return x.duration() <=> y.duration();
      case GapColumn::kCause:
        // Alike ones with the longest first, in the usual (descending) order.
        if (verdicts_ != nullptr && cause_of(a) != cause_of(b)) return cause_of(a) <=> cause_of(b);
        return x.duration() <=> y.duration();
      case GapColumn::kStream:
        return a.stream <=> b.stream;
      case GapColumn::kStart:
        return x.start <=> y.start;
      case GapColumn::kBefore:
        return name(x.before) <=> name(y.before);
      case GapColumn::kAfter:
        return name(x.after) <=> name(y.after);
      case GapColumn::kLaunch:
        return name(x.launch) <=> name(y.launch);
    }
    return std::weak_ordering::equivalent;
  }
  std::size_t cause_of(GapRef gap) const {
    const SharedVector<GapDiagnosis>& known = (*verdicts_)[gap.stream];
    return gap.gap < known.size() ? static_cast<std::size_t>(known[gap.gap].cause) : kGapCauseCount;
  }
  std::string_view name(SliceId slice) const {
    return slice.valid() ? document_.trace.name(slice) : std::string_view{};
  }

  const Document& document_;
  const GapVerdicts* verdicts_;
  const GapRows::Order& order_;
};

SourceId source_of(const Document& document, const StreamActivity& stream) {
  return document.trace.process(document.trace.track(stream.track).process).source;
}

bool is_stream(const GapRows::Stream& known, const Document& document, const StreamActivity& stream) {
  return known.device == stream.device && known.stream == stream.stream && known.source == source_of(document, stream);
}

/// The gap among those of stream number `stream` that lasts from and until the same times; invalid without one.
GapRef same_gap(std::uint32_t stream, const SharedVector<Gap>& gaps, const Gap& gap) {
  const auto at = std::ranges::lower_bound(gaps, gap.start, {}, &Gap::start);
  if (at == gaps.end() || at->start != gap.start || at->end != gap.end) return {};
  return {stream, static_cast<std::uint32_t>(at - gaps.begin())};
}

/// Whether references of the list before are good in the one to be made.
bool can_go_on(const GapRows* before, const GapRows::Order& order, const Document& document) {
  constexpr Nanos kSaturated = std::numeric_limits<Nanos>::max();
  if (before == nullptr || before->order != order || before->streams.size() > document.streams.size()) return false;
  if (before->total == kSaturated || before->left_out.time == kSaturated) return false;
  for (std::size_t s = 0; s < before->streams.size(); ++s)
    if (!is_stream(before->streams[s], document, document.streams[s])) return false;
  return true;
}

/// `sorted` and `more`, both in order, as one.
std::vector<GapRef> merge_rows(const std::vector<GapRef>& sorted, const std::vector<GapRef>& more,
                               const RowOrder& is_before) {
  std::vector<GapRef> merged;
  merged.reserve(sorted.size() + more.size());
  auto from = sorted.begin();
  for (const GapRef row : more) {
    const auto to = std::lower_bound(from, sorted.end(), row, is_before);
    merged.insert(merged.end(), from, to);
    merged.push_back(row);
    from = to;
  }
  merged.insert(merged.end(), from, sorted.end());
  return merged;
}

/// The gaps of a stream that a filter lets through, by their numbers in it.
class PassingGaps {
 public:
  PassingGaps(const GapRow& gaps, const GapFilter& filter)
      : gaps_(gaps),
        least_(filter.min_ns),
        begin_(gaps.first_visible_from(filter.range.begin)),
        end_(filter.range.end == kMaxNanos ? gaps.size() : gaps.first_starting_from(filter.range.end)) {
    end_ = std::max(begin_, end_);
  }
  std::uint32_t begin() const { return begin_; }
  std::uint32_t end() const { return end_; }
  /// The first one that is number `from` or later; end() without any.
  std::uint32_t next(std::uint32_t from) const {
    std::uint32_t low = std::max(from, begin_);
    std::uint32_t high = end_;
    if (!has(low, high)) return end_;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (has(low, middle) ? high : low) = middle;
    }
    return low;
  }
  /// The last one before number `until`; end() without any.
  std::uint32_t previous(std::uint32_t until) const {
    std::uint32_t low = begin_;
    std::uint32_t high = std::min(until, end_);
    if (!has(low, high)) return end_;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (has(middle, high) ? low : high) = middle;
    }
    return low;
  }
  /// Whether some of [low, high) do.
  bool has(std::uint32_t low, std::uint32_t high) const {
    return low < high && gaps_.duration(gaps_.longest(low, high)) >= least_;
  }

 private:
  const GapRow& gaps_;
  Nanos least_;
  std::uint32_t begin_;
  std::uint32_t end_;
};

}  // namespace

bool GapFilter::has(std::uint32_t stream) const {
  return streams.empty() || std::ranges::find(streams, stream) != streams.end();
}

GapRef gap_before(const Document& document, std::uint32_t stream, SliceId slice) {
  const Nanos start = document.trace.span(slice).begin;
  const SharedVector<Gap>& gaps = document.streams[stream].gaps;
  const auto found =
      std::lower_bound(gaps.begin(), gaps.end(), start, [](const Gap& gap, Nanos t) { return gap.end < t; });
  if (found == gaps.end() || found->end != start) return {};
  return {stream, static_cast<std::uint32_t>(found - gaps.begin())};
}

GapRef gap_before(const Document& document, SliceId slice) {
  const auto stream = std::ranges::find(document.streams, document.trace.lane(slice).track, &StreamActivity::track);
  if (stream == document.streams.end()) return {};
  return gap_before(document, static_cast<std::uint32_t>(stream - document.streams.begin()), slice);
}

Nanos gpu_idle_in(const Document& document, GapRef ref) {
  return gpu_idle_in(document.trace, document.streams, ref.stream, get(document, ref));
}

std::shared_ptr<const GapRows> list_gaps(const Document& document, const GapRows::Order& order,
                                         const GapVerdicts* verdicts, const GapRows* before) {
  auto made = std::make_shared<GapRows>();
  made->order = order;
  for (const StreamActivity& stream : document.streams)
    made->streams.push_back({source_of(document, stream), stream.device, stream.stream, stream.gaps});
  const bool by_cause = order.column == GapColumn::kCause && verdicts != nullptr;
  if (by_cause) made->verdicts = *verdicts;
  const bool goes_on = can_go_on(before, order, document);

  const GapFilter& filter = order.filter;
  const auto overlaps = [&](const Gap& gap) { return TimeSpan{gap.start, gap.end}.overlaps(filter.range); };
  std::vector<std::size_t> kept(document.streams.size(), 0);
  std::vector<GapRef> more;
  if (goes_on) {
    made->total = before->total;
    made->left_out = before->left_out;
  }
  for (std::uint32_t s = 0; s < document.streams.size(); ++s) {
    const SharedVector<Gap>& gaps = document.streams[s].gaps;
    if (goes_on && s < before->streams.size()) {
      const SharedVector<Gap>& old = before->streams[s].gaps;
      kept[s] = gaps.shared_with(old);
      if (by_cause)
        kept[s] = s < before->verdicts.size() ? std::min(kept[s], (*verdicts)[s].shared_with(before->verdicts[s])) : 0;
      for (std::size_t g = kept[s]; g < old.size() && filter.has(s); ++g) {
        if (!overlaps(old[g])) continue;
        if (old[g].duration() < filter.min_ns) {
          made->left_out.time -= old[g].duration();
          --made->left_out.gaps;
        } else {
          made->total -= old[g].duration();
        }
      }
    }
    for (auto g = static_cast<std::uint32_t>(kept[s]); g < gaps.size() && filter.has(s); ++g) {
      if (!overlaps(gaps[g])) continue;
      if (gaps[g].duration() < filter.min_ns) {
        made->left_out.add(gaps[g].duration());
        continue;
      }
      more.push_back({s, g});
      made->total = saturating_add(made->total, gaps[g].duration());
    }
  }
  const RowOrder is_before(document, verdicts, made->order);
  std::sort(more.begin(), more.end(), is_before);
  if (!goes_on) {
    made->rows = std::move(more);
    return made;
  }
  std::vector<GapRef> same;
  same.reserve(before->rows.size());
  std::ranges::copy_if(before->rows, std::back_inserter(same), [&](GapRef row) { return row.gap < kept[row.stream]; });
  made->rows = merge_rows(same, more, is_before);
  return made;
}

void GapList::update(const DocumentPtr& document, const GapFilter& filter, GapColumn column, bool descending,
                     const GapVerdicts* verdicts) {
  const GapRows::Order order{filter, column, descending};
  if (document == document_ && order == asked_ && verdicts == verdicts_) return;
  // Only documents of one recording have the numbers of streams and names in common.
  const bool goes_on = document && document->idle && document_ && document_->idle;
  if (document != document_ && !goes_on) {
    list_.reset();
    job_.cancel();
  }
  document_ = document;
  asked_ = order;
  verdicts_ = verdicts;
  if (!document) return;
  std::size_t count = 0;
  for (const StreamActivity& stream : document->streams) count += stream.gaps.size();
  if (count <= kListedAtOnce) {
    job_.cancel();
    list_ = list_gaps(*document, order, verdicts, list_.get());
    return;
  }
  // Verdicts are copied, which shares them: others may replace theirs meanwhile.
  job_.start([document, order, before = list_,
              own = verdicts ? std::optional<GapVerdicts>(*verdicts) : std::nullopt]() mutable {
    auto made = list_gaps(*document, order, own ? &*own : nullptr, before.get());
    before.reset();
    return made;
  });
}

bool GapList::take() {
  const auto made = job_.take();
  if (made == nullptr) return false;
  list_ = *made;
  return true;
}

const GapRows& GapList::listed() const {
  static const GapRows kNone;
  return list_ ? *list_ : kNone;
}

GapRef GapList::now(const Document& document, GapRef row) const {
  const GapRows::Stream& stream = listed().streams[row.stream];
  for (std::uint32_t s = 0; s < document.streams.size(); ++s)
    if (is_stream(stream, document, document.streams[s]))
      return same_gap(s, document.streams[s].gaps, stream.gaps[row.gap]);
  return {};
}

std::size_t GapList::row_of(const Document& document, GapRef gap) const {
  const GapRows& list = listed();
  if (!gap.valid()) return list.rows.size();
  for (std::uint32_t s = 0; s < list.streams.size(); ++s) {
    if (!is_stream(list.streams[s], document, document.streams[gap.stream])) continue;
    const GapRef listed = same_gap(s, list.streams[s].gaps, get(document, gap));
    return static_cast<std::size_t>(std::ranges::find(list.rows, listed) - list.rows.begin());
  }
  return list.rows.size();
}

GapRef GapList::longest(const Document& document) const {
  // The longest gap of each stream, and of what is left of it on both sides of those that were looked at.
  struct Part {
    GapRef longest;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  const auto length = [&](GapRef ref) { return get(document, ref).duration(); };
  const auto comes_later = [&](const Part& a, const Part& b) {
    return std::tuple(-length(a.longest), get(document, a.longest).start, a.longest) >
           std::tuple(-length(b.longest), get(document, b.longest).start, b.longest);
  };
  std::vector<Part> parts;  // a heap
  const auto add = [&](std::uint32_t stream, std::uint32_t begin, std::uint32_t end) {
    if (begin >= end) return;
    const GapRef longest{stream, document.busy[stream].gaps().longest(begin, end)};
    if (length(longest) < asked_.filter.min_ns) return;
    parts.push_back({longest, begin, end});
    std::push_heap(parts.begin(), parts.end(), comes_later);
  };
  for (std::uint32_t s = 0; s < document.busy.size(); ++s) {
    if (!asked_.filter.has(s)) continue;
    const PassingGaps passing(document.busy[s].gaps(), asked_.filter);
    add(s, passing.begin(), passing.end());
  }
  GapRef best;
  Nanos most = -1;
  while (!parts.empty()) {
    std::pop_heap(parts.begin(), parts.end(), comes_later);
    const Part part = parts.back();
    parts.pop_back();
    if (length(part.longest) <= most) break;  // no more than that can be idle in it
    if (const Nanos idle = gpu_idle_in(document, part.longest); idle > most) {
      most = idle;
      best = part.longest;
    }
    add(part.longest.stream, part.begin, part.longest.gap);
    add(part.longest.stream, part.longest.gap + 1, part.end);
  }
  return best;
}

GapRef GapList::step(const Document& document, GapRef current, Nanos from, int direction) const {
  // Gaps are ordered by (start, stream, index); without a current one, the moment decides.
  const auto key = [&](GapRef ref) { return std::tuple(get(document, ref).start, ref); };
  GapRef best;
  for (std::uint32_t s = 0; s < document.busy.size(); ++s) {
    if (!asked_.filter.has(s)) continue;
    const GapRow& gaps = document.busy[s].gaps();
    const PassingGaps passing(gaps, asked_.filter);
    // The first gap of the stream that does not come before the current one, or the moment.
    std::uint32_t at = gaps.first_starting_from(current.valid() ? get(document, current).start : from);
    if (current.valid() && at < gaps.size() && key({s, at}) < key(current)) ++at;
    if (direction > 0 && GapRef{s, at} == current) ++at;
    const GapRef found{s, direction > 0 ? passing.next(at) : passing.previous(at)};
    if (found.gap == passing.end()) continue;
    if (!best.valid() || (direction > 0 ? key(found) < key(best) : key(best) < key(found))) best = found;
  }
  return best;
}

Nanos default_min_gap(const Document& document) {
  for (const StreamBusyIndex& stream : document.busy) {
    const GapRow& gaps = stream.gaps();
    if (gaps.size() > 0 && gaps.duration(gaps.longest(0, gaps.size())) >= kDefaultMinGapNs) return kDefaultMinGapNs;
  }
  return 0;
}

}  // namespace lacuna
