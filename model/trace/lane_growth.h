#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// What is new in a trace of a recording under way, against the trace of it before: for answers that grow. Of threads,
/// GPU streams and states of threads; a slice counts as ended when it ended at the horizon or before.
/// It belongs to one recording, whose traces must come in their order. One thread at a time.
class LaneGrowth {
 public:
  struct News {
    /// Slices came, or went, that ended before the last horizon: what was known of slices does not hold.
    bool starts_over = false;
    /// Lanes have other ids, see moved(): a track got another row.
    bool has_moved = false;
    /// No slice that starts before this is new or gone, but for those that were open in the last trace.
    Nanos since = kMaxNanos;
  };
  /// `horizon`: every slice that ended before it has arrived, as far as is known; it never goes back. O(lanes log
  /// slices).
  News update(const Trace& trace, Nanos horizon);

  Nanos horizon() const { return horizon_; }
  /// The slices [first_new, ended) of a lane ended since the trace before; those behind them are open still.
  std::uint32_t first_new(LaneId lane) const { return lanes_[lane.value].first_new; }
  std::uint32_t ended(LaneId lane) const { return lanes_[lane.value].ended; }
  /// The id that a slice of the trace before has in this one.
  SliceId moved(SliceId old) const { return old.valid() ? SliceId{moved_[old.lane.value], old.index} : old; }

  static bool looks_at(const Track& track) {
    return track.kind == TrackKind::kThread || track.kind == TrackKind::kGpuStream ||
           track.kind == TrackKind::kThreadStates;
  }

 private:
  struct Known {
    std::uint32_t ended = 0;
    Nanos open_since = kMaxNanos;  ///< start of the slice that goes on beyond the horizon
    LaneId lane;                   ///< in the trace before
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
