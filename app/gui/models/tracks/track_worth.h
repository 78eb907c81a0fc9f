#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// How useful a track is to a user who opens a trace: which to show first, and which say nothing.
struct TrackWorth {
  std::vector<std::uint8_t> waits;  ///< by TrackId: of a thread that does nothing but wait, such as tqdm's monitor
  /// By TrackId: the number of outermost rows that hold one Python frame each, for nearly all of the thread's time; 0
  /// where there are too few to be squeezed into one.
  std::vector<std::uint32_t> outer_frames;
  std::vector<std::uint8_t> is_single_instant;  ///< by TrackId: its process has nothing but one instant
  std::vector<std::uint32_t> ranks;  ///< by TrackId: its place in its process; empty = the trace's own order is as good
};

/// CPU threads that launch GPU work come first, then those with most slices, then those that ran most, those that wait
/// last, each with its sampled stacks and its states below it; GPU streams and counters keep their order. Looks at some
/// thousand slices of each track: O(tracks).
TrackWorth judge_tracks(const Trace& trace);

}  // namespace lacuna
