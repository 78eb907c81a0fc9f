#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// A set of points in time, stored as disjoint intervals, that computes the part of a span inside
/// the set in O(log n):
///
///     spans given   ####   ##
///                     ####        #
///     intervals     ######  ##    #      covered([a, b)) = what lies under a…b
///
/// Any thread may read while no thread appends. 24 bytes per interval.
class IntervalSet {
 public:
  IntervalSet() = default;
  /// The union of `spans`, which may have any order; empty ones are ignored. O(n) if the spans are a
  /// few ascending runs one after another (the rows of a track), O(n log n) at worst.
  explicit IntervalSet(std::vector<TimeSpan> spans);

  /// Adds spans, ascending by start, none of which starts before the last interval does. O(spans).
  void append(std::span<const TimeSpan> spans);
  /// State for back_to(), which undoes later append() calls. O(1).
  struct Mark {
    std::size_t size = 0;
    Nanos last_end = 0;
  };
  Mark mark() const { return {intervals_.size(), intervals_.empty() ? 0 : intervals_.back().end}; }
  void back_to(const Mark& mark);

  /// Returns the length of the part of `span` inside the set.
  Nanos covered(TimeSpan span) const;
  bool contains(Nanos t) const;
  /// Returns the intervals: ascending, disjoint, not touching.
  std::span<const TimeSpan> intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }

 private:
  friend class IntervalWalk;
  /// Returns the length of the set before `t`.
  Nanos covered_before(Nanos t) const;

  std::vector<TimeSpan> intervals_;
  std::vector<Nanos> before_;  // by interval: total length of the intervals before it
};

/// Returns the intersection. O(intervals of both).
IntervalSet common(const IntervalSet& a, const IntervalSet& b);
/// Returns the difference: in `a` and not in `b`. O(intervals of both).
IntervalSet difference(const IntervalSet& a, const IntervalSet& b);

/// Sorts a vector made of ascending runs by merging them: O(n log runs), stable, O(n) if sorted.
template <class T, class Less>
void merge_runs(std::vector<T>& items, Less less) {
  std::vector<std::size_t> ends;  // ends of the runs
  for (std::size_t i = 1; i <= items.size(); ++i)
    if (i == items.size() || less(items[i], items[i - 1])) ends.push_back(i);
  const auto at = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
  while (ends.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < ends.size(); r += 2) {
      const bool has_partner = r + 1 < ends.size();
      if (has_partner) std::inplace_merge(at(begin), at(ends[r]), at(ends[r + 1]), less);
      begin = ends[has_partner ? r + 1 : r];
      merged.push_back(begin);
    }
    ends = std::move(merged);
  }
}

}  // namespace lacuna
