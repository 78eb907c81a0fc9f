#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// From `begin` to the next stretch's begin (or the window's end) `slice` was the innermost slice of a CPU thread;
/// invalid: none was open.
struct InnermostStretch {
  Nanos begin = 0;
  SliceId slice;
};

/// One CPU thread inside a window, flattened: its innermost slices, and when it worked: had an operator or a runtime
/// call open. Python frames and annotations are not work: the thread may be waiting for another one inside them.
/// Slices that overlap without nesting are left out. O(slices in the window); immutable, any thread.
struct ThreadWork {
  ThreadWork(const Trace& trace, TrackId thread, TimeSpan window);

  /// Positions of the last answers: the next queries cost O(log of the distance) from there.
  struct Hints {
    std::size_t stretch = 0;
    std::size_t work = 0;
  };
  /// Returns the stretch that holds the moment before `t`. `t` > window.begin.
  const InnermostStretch& before(Nanos t, Hints& hints) const;
  /// Returns the latest work that began before `t`; O(log n). Empty if there is none.
  TimeSpan work_before(Nanos t) const;
  TimeSpan work_before(Nanos t, Hints& hints) const;
  /// Like work_before(), for `recorded`.
  TimeSpan recorded_before(Nanos t) const;
  /// Returns how much of `span` was work (or recorded). O(log n).
  Nanos work_in(TimeSpan span) const { return part_of(work, work_until, span); }
  Nanos recorded_in(TimeSpan span) const { return part_of(recorded, recorded_until, span); }

  TrackId thread;
  TimeSpan window;
  std::vector<InnermostStretch> stretches;  ///< cover the window, ascending
  std::vector<TimeSpan> work;               ///< ascending, not touching
  std::vector<TimeSpan> recorded;           ///< when any slice was open; ascending, not touching
  std::vector<Nanos> work_until;            ///< sum of the work before each, and in total
  std::vector<Nanos> recorded_until;

 private:
  static Nanos part_of(const std::vector<TimeSpan>& spans, const std::vector<Nanos>& sums, TimeSpan span);
};

}  // namespace lacuna
