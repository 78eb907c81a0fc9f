#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A stretch of a thread's sampled stacks in which the innermost frame was the same. An estimate.
struct SampledPart {
  TimeSpan span;
  SliceId innermost;  ///< of imports the frame that began them
  SliceId frame;      ///< the Python function that it is in or that called it; `innermost` where there is none
};

/// What tracks beside a thread (model/trace/sampled_tracks.h) say of it: when it ran and waited, and where.
struct ThreadFromOutside {
  bool has_states = false;
  bool has_stacks = false;
  std::vector<SampledPart> parts;
  std::vector<TimeSpan> waiting;  ///< for locks, I/O, time …
  IntervalSet preempted;          ///< it could have run, but had no CPU
  /// By name of the state: "waiting: sleep".
  struct Wait {
    StringId state;
    TimeSpan span;
  };
  std::vector<Wait> waits;
};

/// Reads only, any thread. O(slices of the tracks beside `thread`).
ThreadFromOutside see_thread_from_outside(const Trace& trace, TrackId thread);

/// How a sampled frame is called where it says what a function does: "import" for all of Python's import machinery.
std::string_view sampled_call(std::string_view frame);

/// "gap.py(7): throttle → time.sleep": the calls down to `slice`, the innermost `most` of them.
std::string called_path(const Trace& trace, SliceId slice, std::size_t most);

}  // namespace lacuna
