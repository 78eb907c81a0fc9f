#include "model/causes/interval_set.h"

#include <algorithm>
#include <utility>

namespace lacuna {

IntervalSet::IntervalSet(std::vector<TimeSpan> spans) {
  std::erase_if(spans, [](const TimeSpan& span) { return span.empty(); });
  merge_runs(spans, [](const TimeSpan& a, const TimeSpan& b) { return a.begin < b.begin; });
  append(spans);
  intervals_.shrink_to_fit();
  before_.shrink_to_fit();
}

void IntervalSet::append(std::span<const TimeSpan> spans) {
  for (const TimeSpan& span : spans) {
    if (span.empty()) continue;
    if (!intervals_.empty() && span.begin <= intervals_.back().end) {
      intervals_.back().end = std::max(intervals_.back().end, span.end);
      continue;
    }
    before_.push_back(intervals_.empty() ? 0 : saturating_add(before_.back(), intervals_.back().duration()));
    intervals_.push_back(span);
  }
}

void IntervalSet::back_to(const Mark& mark) {
  intervals_.resize(mark.size);
  before_.resize(mark.size);
  if (mark.size > 0) intervals_.back().end = mark.last_end;
}

Nanos IntervalSet::covered_before(Nanos t) const {
  const auto next = std::ranges::lower_bound(intervals_, t, {}, &TimeSpan::begin);
  if (next == intervals_.begin()) return 0;
  const auto last = next - 1;
  const Nanos before = before_[static_cast<std::size_t>(last - intervals_.begin())];
  return saturating_add(before, TimeSpan{last->begin, std::min(last->end, t)}.duration());
}

Nanos IntervalSet::covered(TimeSpan span) const {
  if (span.empty() || intervals_.empty()) return 0;
  return saturating_sub(covered_before(span.end), covered_before(span.begin));
}

bool IntervalSet::contains(Nanos t) const {
  const auto next = std::ranges::upper_bound(intervals_, t, {}, &TimeSpan::begin);
  return next != intervals_.begin() && (next - 1)->contains(t);
}

IntervalSet common(const IntervalSet& a, const IntervalSet& b) {
  std::vector<TimeSpan> both;
  const auto x = a.intervals(), y = b.intervals();
  for (std::size_t i = 0, k = 0; i < x.size() && k < y.size();) {
    const TimeSpan part = x[i].intersect(y[k]);
    if (!part.empty()) both.push_back(part);
    x[i].end < y[k].end ? ++i : ++k;
  }
  return IntervalSet(std::move(both));
}

}  // namespace lacuna
