#pragma once

#include <cstdint>
#include <map>
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
  SliceId own;        ///< the innermost Python function that is no library's; without Python `innermost`; or invalid
  SliceId called;     ///< what that calls; itself where it is innermost
};

/// What tracks beside a thread (model/trace/sampled_tracks.h) say of it: when it ran and waited, and where.
struct ThreadFromOutside {
  TrackId state_track, stack_track;  ///< invalid: there is none
  std::vector<SampledPart> parts;    ///< ascending, disjoint
  /// By name of the state: "running", "waiting: sleep". Ascending, disjoint.
  struct State {
    StringId name;
    TimeSpan span;
    SliceId slice;
  };
  std::vector<State> states;

  bool has_states() const { return state_track.valid(); }
  bool has_stacks() const { return stack_track.valid(); }
};

/// All threads of a process that have such tracks, by tid. Reads only, any thread. O(slices of these tracks).
std::map<std::uint64_t, ThreadFromOutside> see_process_from_outside(const Trace& trace, ProcessId process);
/// The same of one thread.
ThreadFromOutside see_thread_from_outside(const Trace& trace, TrackId thread);

/// How a sampled frame is called where it says what a function does: "import" for all of Python's import machinery.
std::string_view sampled_call(std::string_view frame);

/// The first Python function of the program itself from `slice` outwards, and what of the way it calls: see
/// SampledPart.
void find_own_frame(const Trace& trace, SliceId slice, SliceId& own, SliceId& called);

}  // namespace lacuna
