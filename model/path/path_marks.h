#pragma once

#include <span>
#include <vector>

#include "model/path/critical_path.h"

namespace lacuna {

/// The critical path on each lane, as drawn in a timeline. Immutable, any thread. O(parts) memory.
class PathMarks {
 public:
  struct Mark {
    TimeSpan span;
    SliceId slice;         ///< the slice in whose row it is drawn; a wait is drawn before the activity that waited
    bool is_wait = false;  ///< nothing ran: launch latency or queueing
  };

  PathMarks(const Trace& trace, const CriticalPath& path);

  /// Returns a lane's marks, ascending, not touching each other. Empty if the path does not pass the lane.
  std::span<const Mark> on_lane(LaneId lane) const;
  /// Whether the path runs through a slice of the lane inside `span`. O(log n).
  bool runs_through(LaneId lane, TimeSpan span) const;
  /// All marks, ascending. Parts outside slices have none.
  const std::vector<Mark>& in_order() const { return in_order_; }
  TimeSpan range() const { return range_; }

 private:
  TimeSpan range_;
  std::vector<Mark> in_order_;
  std::vector<Mark> by_lane_;
  std::vector<std::uint32_t> first_of_lane_;  // plus a last entry, the end
};

}  // namespace lacuna
