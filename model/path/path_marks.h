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
    SliceId slice;         ///< the slice in whose row it is drawn; a wait is drawn before the activity that waited; of
                           ///< a trace on another machine with the index kNoIndex
    bool is_wait = false;  ///< nothing ran: launch latency or queueing
  };

  static std::vector<Mark> of(const CriticalPath& path);
  /// `marks`: those of a path, or some of them.
  PathMarks(const Trace& trace, std::vector<Mark> marks);

  /// Returns a lane's marks, ascending, not touching each other. Empty if the path does not pass the lane.
  std::span<const Mark> on_lane(LaneId lane) const;
  /// Whether the path runs through a slice of the lane inside `span`. O(log n).
  bool runs_through(LaneId lane, TimeSpan span) const;
  /// All marks, ascending. Parts outside slices have none.
  const std::vector<Mark>& in_order() const { return in_order_; }

 private:
  std::vector<Mark> in_order_;
  std::vector<Mark> by_lane_;
  std::vector<std::uint32_t> first_of_lane_;  // plus a last entry, the end
};

}  // namespace lacuna
