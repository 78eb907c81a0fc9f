#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// From `begin` to the next stretch's begin, or the window's end, `slice` was the innermost slice of a CPU thread;
/// invalid: nothing.
struct InnermostStretch {
  Nanos begin = 0;
  SliceId slice;
};

/// One CPU thread inside a window, flattened: what was innermost when, and when it worked: had an operator or a runtime
/// call open. Python frames and annotations are no work: under them a thread may as well wait for another one.
/// Slices that cross others (later nests) are left out. O(slices in the window); immutable, any thread.
struct ThreadWork {
  ThreadWork(const Trace& trace, TrackId thread, TimeSpan window);

  /// Where the last questions were answered: the next ones cost O(log of the distance) from there.
  struct Hints {
    std::size_t stretch = 0;
    std::size_t work = 0;
  };
  /// The stretch that holds the moment before `t`. `t` > window.begin.
  const InnermostStretch& before(Nanos t, Hints& hints) const;
  /// The work that had begun before `t`, the latest one; O(log n). Empty where there was none.
  TimeSpan work_before(Nanos t) const;
  TimeSpan work_before(Nanos t, Hints& hints) const;
  /// The same of `recorded`.
  TimeSpan recorded_before(Nanos t) const;
  /// How much of `span` was work, or recorded. O(log n).
  Nanos work_in(TimeSpan span) const { return part_of(work, work_until, span); }
  Nanos recorded_in(TimeSpan span) const { return part_of(recorded, recorded_until, span); }

  TrackId thread;
  TimeSpan window;
  std::vector<InnermostStretch> stretches;  ///< cover the window, ascending
  std::vector<TimeSpan> work;               ///< ascending, apart
  std::vector<TimeSpan> recorded;           ///< when it had any slice open, likewise
  std::vector<Nanos> work_until;            ///< sum of work before each, and of all
  std::vector<Nanos> recorded_until;

 private:
  static Nanos part_of(const std::vector<TimeSpan>& spans, const std::vector<Nanos>& sums, TimeSpan span);
};

}  // namespace lacuna
