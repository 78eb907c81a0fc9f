#pragma once

#include <span>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// Time with its long idle stretches shortened.
///
///     time    |######|........................|####|..............|###|
///     folded  |######|::|####|::|###|            (:: = `kept` ns each)
///
/// Outside the stretches folding only shifts, by whole nanoseconds: distances there are exact, and
/// unfold(fold(t)) == t. Inside, time is compressed: both directions keep the order, and round down.
/// A camera uses folded time. Immutable; any thread. O(log stretches) per lookup.
class TimeFolds {
 public:
  struct Stretch {
    TimeSpan span;           ///< in unfolded time
    Nanos folded_begin = 0;  ///< its begin in folded time
    Nanos kept = 0;          ///< its length in folded time, at least 1 and less than its own
    Nanos folded_end() const { return folded_begin + kept; }
    Nanos removed() const { return span.duration() - kept; }
  };

  TimeFolds() = default;
  /// `stretches`: ascending, free of overlap. Those not longer than `kept` are unchanged.
  TimeFolds(std::span<const TimeSpan> stretches, Nanos kept);

  bool empty() const { return stretches_.empty(); }
  std::span<const Stretch> stretches() const { return stretches_; }
  Nanos fold(Nanos t) const;
  Nanos unfold(Nanos folded) const;
  TimeSpan fold(TimeSpan span) const;
  TimeSpan unfold(TimeSpan folded) const { return {unfold(folded.begin), unfold(folded.end)}; }
  /// Returns the stretches that overlap a span of time.
  std::span<const Stretch> in(TimeSpan span) const;
  Nanos removed() const { return removed_; }  ///< total time removed

 private:
  std::vector<Stretch> stretches_;
  Nanos removed_ = 0;
};

/// Returns the stretches of at least `least` without any of `busy`, between the first and the last of them.
/// `busy`: in any order. O(n log n).
std::vector<TimeSpan> idle_stretches(std::vector<TimeSpan> busy, Nanos least);

}  // namespace lacuna
