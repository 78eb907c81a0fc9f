#include "model/causes/interval_set.h"

#include <algorithm>
#include <utility>

#include "model/causes/interval_walk.h"

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

IntervalWalk::IntervalWalk(const IntervalSet& set, Nanos from) : set_(set), before_(set.covered_before(from)) {
  next_ = static_cast<std::size_t>(std::ranges::lower_bound(set.intervals_, from, {}, &TimeSpan::begin) -
                                   set.intervals_.begin());
}

Nanos IntervalWalk::to(Nanos t) {
  const std::vector<TimeSpan>& all = set_.intervals_;
  // Mostly it is not far.
  std::size_t step = 1;
  while (step < all.size() - next_ && all[next_ + step - 1].begin < t) step *= 2;
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(next_);
  const auto until = from + static_cast<std::ptrdiff_t>(std::min(step, all.size() - next_));
  next_ = static_cast<std::size_t>(std::ranges::lower_bound(from, until, t, {}, &TimeSpan::begin) - all.begin());
  Nanos before = 0;
  if (next_ > 0) {
    const TimeSpan last = all[next_ - 1];
    before = saturating_add(set_.before_[next_ - 1], TimeSpan{last.begin, std::min(last.end, t)}.duration());
  }
  return saturating_sub(before, std::exchange(before_, before));
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

IntervalSet difference(const IntervalSet& a, const IntervalSet& b) {
  std::vector<TimeSpan> left;
  const auto without = b.intervals();
  std::size_t k = 0;
  for (TimeSpan rest : a.intervals()) {
    while (k < without.size() && without[k].end <= rest.begin) ++k;
    for (std::size_t i = k; i < without.size() && without[i].begin < rest.end; ++i) {
      left.push_back({rest.begin, without[i].begin});  // empty where it begins inside
      rest.begin = without[i].end;
    }
    left.push_back(rest);
  }
  return IntervalSet(std::move(left));
}

}  // namespace lacuna
