#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/trace/trace.h"

namespace lacuna {

// What the tracks beside a thread (model/trace/sampled_tracks.h) tell about a stretch of its time. Thresholds for a
// mention in the sentence about a gap:

/// Least part of the time (1/10) in which the thread was not scheduled.
inline constexpr Nanos kNotScheduledShare = 10;
/// Least number of samples.
inline constexpr Nanos kFewestSamples = 4;

/// Times are inside the window. Sampled times are estimates: a sample counts as one period.
struct OutsideEvidence {
  bool has_states = false;
  Nanos waiting = 0;
  Nanos preempted = 0;
  StringId most_waited = kEmptyString;  ///< the state with the most waiting: "waiting: lock"
  SliceId longest_off;                  ///< the slice with the most time off the CPU

  Nanos samples = 0;              ///< of the thread's stack, inside the window
  Nanos in_frame = 0;             ///< the part of them in `frame`
  StringId frame = kEmptyString;  ///< the innermost frame contained in at least half of the samples
  SliceId frame_slice;            ///< its slice with the most time

  Nanos not_scheduled() const { return saturating_add(waiting, preempted); }
};

/// The tracks beside each thread of a trace. O(tracks log tracks); any thread may read.
class TracksBeside {
 public:
  explicit TracksBeside(const Trace& trace);
  std::span<const TrackId> of(const Trace& trace, TrackId thread) const;

 private:
  std::vector<std::pair<ProcessId, std::uint64_t>> threads_;  // ascending; one for each of tracks_
  std::vector<TrackId> tracks_;
};

/// Evaluates the tracks beside `thread`: O(tracks + rows log n + slices in the window). Any thread may call.
OutsideEvidence look_from_outside(const Trace& trace, TrackId thread, TimeSpan window);
/// For many windows, with the tracks already found: O(log n + slices that begin or end in the window).
OutsideEvidence look_from_outside(const Trace& trace, std::span<const TrackId> beside, TimeSpan window);

/// Returns "thread python (main) was not scheduled for 3.1 ms (2.9 ms waiting: lock)", "in zlib.compress by 38 of 40
/// samples", or both; empty if neither reaches its threshold.
std::string describe_outside(const Trace& trace, TrackId thread, TimeSpan window, const OutsideEvidence& evidence,
                             std::string (*duration)(Nanos));

}  // namespace lacuna
