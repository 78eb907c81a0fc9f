#pragma once

#include <span>
#include <vector>

#include "model/path/critical_path.h"

namespace lacuna {

/// The course of a critical path, lane by lane, as a timeline draws it. Immutable, any thread. O(parts) memory.
class PathMarks {
 public:
  struct Mark {
    TimeSpan span;
    SliceId slice;         ///< whose row it is drawn in; a wait lies before the activity that waited
    bool is_wait = false;  ///< nothing ran: launch latency, queue
  };

  PathMarks(const Trace& trace, const CriticalPath& path);

  /// Ascending, apart. Empty where the path does not come by.
  std::span<const Mark> on_lane(LaneId lane) const;
  /// Whether it runs through a slice of the lane somewhere in `span`. O(log n).
  bool runs_through(LaneId lane, TimeSpan span) const;
  /// All of it, ascending. What lies in no slice has none.
  const std::vector<Mark>& in_order() const { return in_order_; }
  TimeSpan range() const { return range_; }

 private:
  TimeSpan range_;
  std::vector<Mark> in_order_;
  std::vector<Mark> by_lane_;
  std::vector<std::uint32_t> first_of_lane_;  // and one more
};

}  // namespace lacuna
