#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// How useful tracks are to a user who opens a trace: which to show first, and which to leave out.
struct TrackWorth {
  std::vector<std::uint8_t> waits;  ///< by TrackId: whether the thread only waits, such as tqdm's monitor
  /// By TrackId: the number of outermost rows with one Python frame each that lasts nearly all of the thread's time; 0
  /// if these are too few to be merged into one row.
  std::vector<std::uint32_t> outer_frames;
  std::vector<std::uint8_t> is_single_instant;  ///< by TrackId: whether its process has nothing but one instant
  std::vector<std::uint32_t> ranks;  ///< by TrackId: position in its process; empty = the trace's own order is as good
};

/// Order: CPU threads that launch GPU work first, then those with most slices, then those that ran longest, waiting
/// threads last, each followed by its sampled stacks and states; GPU streams and counters keep their order. Reads some
/// thousand slices of each track: O(tracks).
TrackWorth judge_tracks(const Trace& trace);

}  // namespace lacuna
