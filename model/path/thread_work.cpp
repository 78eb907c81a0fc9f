#include "model/path/thread_work.h"

#include <algorithm>

namespace lacuna {
namespace {

bool is_thread_work(CategoryClass c) {
  return c == CategoryClass::kCpuOperator || c == CategoryClass::kRuntime;
}

/// Adds one that starts no earlier than those before it.
void add_span(std::vector<TimeSpan>& spans, TimeSpan span) {
  if (span.empty()) return;
  if (!spans.empty() && span.begin <= spans.back().end)
    spans.back().end = std::max(spans.back().end, span.end);
  else
    spans.push_back(span);
}

std::vector<Nanos> running_sums(const std::vector<TimeSpan>& spans) {
  std::vector<Nanos> sums{0};
  sums.reserve(spans.size() + 1);
  for (const TimeSpan& span : spans) sums.push_back(saturating_add(sums.back(), span.duration()));
  return sums;
}

TimeSpan last_before(const std::vector<TimeSpan>& spans, Nanos t, Nanos otherwise) {
  const auto after = std::ranges::lower_bound(spans, t, {}, &TimeSpan::begin);
  return after == spans.begin() ? TimeSpan{otherwise, otherwise} : *(after - 1);
}

}  // namespace

ThreadWork::ThreadWork(const Trace& trace, TrackId id, TimeSpan range) : thread(id), window(range) {
  const Track& track = trace.track(id);
  stretches.push_back({window.begin, {}});
  const auto note = [&](Nanos begin, SliceId slice) {
    begin = std::max(begin, window.begin);
    if (begin >= window.end) return;
    if (stretches.back().begin == begin)
      stretches.back().slice = slice;
    else if (stretches.back().slice != slice)
      stretches.push_back({begin, slice});
  };
  std::uint32_t rows = 0;  // of the main nest
  while (rows < track.lane_count && trace.lane(LaneId{track.first_lane.value + rows}).nest == 0) ++rows;
  const auto lane_at = [&](std::uint32_t depth) -> const Lane& {
    return trace.lane(LaneId{track.first_lane.value + depth});
  };
  std::vector<std::uint32_t> next(rows);  // by depth: the slice that comes next
  for (std::uint32_t d = 0; d < rows; ++d) next[d] = lane_at(d).first_visible_from(window.begin);
  std::vector<std::uint32_t> open;  // by depth: the slice that is open
  while (true) {
    // The next child of what is open, else its end.
    const auto depth = static_cast<std::uint32_t>(open.size());
    bool goes_down = false;
    if (depth < rows) {
      const Lane& lane = lane_at(depth);
      // Children of slices that were left out.
      while (depth > 0 && next[depth] < lane.size() && lane.parent(next[depth]) < open.back()) ++next[depth];
      const std::uint32_t i = next[depth];
      goes_down = i < lane.size() && lane.start(i) < window.end && (depth == 0 || lane.parent(i) == open.back());
    }
    if (goes_down) {
      const Lane& lane = lane_at(depth);
      const std::uint32_t i = next[depth]++;
      const TimeSpan span = lane.span(i);
      open.push_back(i);
      note(span.begin, {LaneId{track.first_lane.value + depth}, i});
      const TimeSpan part = span.intersect(window);
      if (is_thread_work(trace.category_class(lane.category(i)))) add_span(work, part);
      if (depth == 0) add_span(recorded, part);
      continue;
    }
    if (open.empty()) break;
    const Nanos end = lane_at(depth - 1).end(open.back());
    open.pop_back();
    note(end, open.empty() ? SliceId{} : SliceId{LaneId{track.first_lane.value + depth - 2}, open.back()});
  }
  work_until = running_sums(work);
  recorded_until = running_sums(recorded);
}

namespace {

/// The first of `items` that begins at `t` or later, looked for from `hint` on, which becomes it.
template <class Item>
std::size_t first_beginning_from(const std::vector<Item>& items, Nanos t, std::size_t& hint) {
  std::size_t low = std::min(hint, items.size());
  std::size_t high = low;
  // Steps that double, to either side, until what is looked for lies in (low, high].
  for (std::size_t step = 1; high < items.size() && items[high].begin < t; step *= 2) {
    low = high;
    high = std::min(items.size(), high + step);
  }
  for (std::size_t step = 1; low > 0 && items[low - 1].begin >= t; step *= 2) {
    high = low;
    low -= std::min(low, step);
  }
  const auto from = items.begin() + static_cast<std::ptrdiff_t>(low);
  const auto to = items.begin() + static_cast<std::ptrdiff_t>(high);
  hint = static_cast<std::size_t>(std::ranges::lower_bound(from, to, t, {}, &Item::begin) - items.begin());
  return hint;
}

}  // namespace

const InnermostStretch& ThreadWork::before(Nanos t, Hints& hints) const {
  const std::size_t after = first_beginning_from(stretches, t, hints.stretch);
  return stretches[after == 0 ? 0 : after - 1];
}

TimeSpan ThreadWork::work_before(Nanos t, Hints& hints) const {
  const std::size_t after = first_beginning_from(work, t, hints.work);
  return after == 0 ? TimeSpan{window.begin, window.begin} : work[after - 1];
}

TimeSpan ThreadWork::work_before(Nanos t) const {
  return last_before(work, t, window.begin);
}

TimeSpan ThreadWork::recorded_before(Nanos t) const {
  return last_before(recorded, t, window.begin);
}

Nanos ThreadWork::part_of(const std::vector<TimeSpan>& spans, const std::vector<Nanos>& sums, TimeSpan span) {
  const auto until = [&](Nanos t) {
    const auto after =
        static_cast<std::size_t>(std::ranges::lower_bound(spans, t, {}, &TimeSpan::begin) - spans.begin());
    if (after == 0) return Nanos{0};
    return sums[after - 1] + (std::min(spans[after - 1].end, t) - spans[after - 1].begin);
  };
  return span.empty() ? 0 : until(span.end) - until(span.begin);
}

}  // namespace lacuna
