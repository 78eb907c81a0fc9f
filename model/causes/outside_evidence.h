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

// What tracks beside a thread (model/trace/sampled_tracks.h) say of a stretch of its time. Thresholds of what is worth
// a word in the sentence about a gap:

/// The thread was not scheduled for at least this part of the time (1/10).
inline constexpr Nanos kNotScheduledShare = 10;
/// Fewer samples say nothing.
inline constexpr Nanos kFewestSamples = 4;

/// Times are inside the window. Sampled times are estimates: a sample stands for a period.
struct OutsideEvidence {
  bool has_states = false;
  Nanos waiting = 0;
  Nanos preempted = 0;
  StringId most_waited = kEmptyString;  ///< the state with the most waiting: "waiting: lock"
  SliceId longest_off;                  ///< the slice with the most time off the CPU

  Nanos samples = 0;              ///< of the thread's stack in the window
  Nanos in_frame = 0;             ///< of these, in `frame`
  StringId frame = kEmptyString;  ///< the innermost frame that at least half of the samples share
  SliceId frame_slice;            ///< its slice with the most time

  Nanos not_scheduled() const { return saturating_add(waiting, preempted); }
};

/// The tracks beside each thread of a trace. O(tracks log tracks); any thread may read.
class TracksBeside {
 public:
  explicit TracksBeside(const Trace& trace);
  std::span<const TrackId> of(const Trace& trace, TrackId thread) const;

 private:
  std::vector<std::pair<ProcessId, std::uint64_t>> threads_;  // ascending; of each of tracks_
  std::vector<TrackId> tracks_;
};

/// Looks at the tracks beside `thread`: O(tracks + rows log n + slices in the window). Any thread may call.
OutsideEvidence look_from_outside(const Trace& trace, TrackId thread, TimeSpan window);
/// Of many windows, with the tracks found already: O(log n), and the slices that begin or end in the window.
OutsideEvidence look_from_outside(const Trace& trace, std::span<const TrackId> beside, TimeSpan window);

/// "thread python (main) was not scheduled for 3.1 ms (2.9 ms waiting: lock)", "in zlib.compress by 38 of 40 samples",
/// or both; empty where neither is worth a word.
std::string describe_outside(const Trace& trace, TrackId thread, TimeSpan window, const OutsideEvidence& evidence,
                             std::string (*duration)(Nanos));

}  // namespace lacuna
