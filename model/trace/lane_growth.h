#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// Finds what is new in a trace of a running recording since its previous trace, for incremental analyses: threads,
/// GPU streams and thread states; a slice counts as ended if it ended at the horizon or before.
/// It belongs to one recording, whose traces must come in order. One thread at a time.
class LaneGrowth {
 public:
  struct News {
    /// Slices that ended before the last horizon appeared or vanished: earlier results are invalid.
    bool starts_over = false;
    /// Lane ids changed, see moved(): a track got another row.
    bool has_moved = false;
    /// No slice that starts before this is new or gone, except those that were open in the last trace.
    Nanos since = kMaxNanos;
  };
  /// `horizon`: every slice that ended before it has arrived, as far as known; it never decreases. O(lanes log
  /// slices).
  News update(const Trace& trace, Nanos horizon);

  Nanos horizon() const { return horizon_; }
  /// The slices [first_new, ended) of a lane ended since the previous trace; those after them are still open.
  std::uint32_t first_new(LaneId lane) const { return lanes_[lane.value].first_new; }
  std::uint32_t ended(LaneId lane) const { return lanes_[lane.value].ended; }
  /// Returns the id in this trace of a slice of the previous trace.
  SliceId moved(SliceId old) const { return old.valid() ? SliceId{moved_[old.lane.value], old.index} : old; }

  static bool looks_at(const Track& track) {
    return traits_of(track.kind).is_work || track.kind == TrackKind::kThreadStates;
  }

 private:
  struct Known {
    std::uint32_t ended = 0;
    Nanos open_since = kMaxNanos;  ///< start of the slice that extends beyond the horizon
    LaneId lane;                   ///< in the previous trace
  };
  struct OfLane {
    std::uint32_t first_new = 0;
    std::uint32_t ended = 0;
  };
  std::map<std::tuple<TrackId, std::uint32_t, std::uint32_t>, Known> known_;  // by track, nest and depth
  std::vector<OfLane> lanes_;
  std::vector<LaneId> moved_;
  Nanos horizon_ = kMinNanos;
};

}  // namespace lacuna
