#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/causes/interval_set.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A stretch of a thread's sampled stacks with the same innermost frame. An estimate.
struct SampledPart {
  TimeSpan span;
  SliceId innermost;  ///< for imports, the frame that started them
  SliceId frame;      ///< the Python function that contains or called it; `innermost` if there is none
  SliceId own;        ///< the innermost Python function not of a library; without Python `innermost`; or invalid
  SliceId called;     ///< the callee of `own`; `own` itself if it is innermost
};

/// The data of the tracks beside a thread (model/trace/sampled_tracks.h): when it ran and waited, and where.
struct ThreadFromOutside {
  TrackId state_track, stack_track;  ///< invalid: there is none
  std::vector<SampledPart> parts;    ///< ascending, disjoint
  /// One state, by name: "running", "waiting: sleep". Ascending, disjoint.
  struct State {
    StringId name;
    TimeSpan span;
    SliceId slice;
  };
  std::vector<State> states;

  bool has_states() const { return state_track.valid(); }
  bool has_stacks() const { return stack_track.valid(); }
};

/// Returns all threads of a process with such tracks, by tid. Read-only, any thread. O(slices of these tracks).
std::map<std::uint64_t, ThreadFromOutside> see_process_from_outside(const Trace& trace, ProcessId process);
/// Like see_process_from_outside(), for one thread.
ThreadFromOutside see_thread_from_outside(const Trace& trace, TrackId thread);

/// Returns the display name of a sampled frame as a callee: "import" for all of Python's import machinery.
std::string_view sampled_call(std::string_view frame);

/// Finds the first Python function of the program itself from `slice` outwards, and its callee: see
/// SampledPart.
void find_own_frame(const Trace& trace, SliceId slice, SliceId& own, SliceId& called);

}  // namespace lacuna
