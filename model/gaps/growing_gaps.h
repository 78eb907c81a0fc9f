#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "model/gaps/activity_walk.h"
#include "model/gaps/gaps.h"
#include "model/trace/lane_growth.h"
#include "model/trace/trace.h"

namespace lacuna {

/// All streams of a device as one that lies on no track: for a StreamBusyIndex.
StreamActivity to_stream_activity(const DeviceActivity& device);

/// The gaps of a recording under way, kept up from one trace of it to the next: activities that ended before the
/// horizon are looked at once, those behind it anew each time. Of one recording; one thread at a time.
class GrowingGaps {
 public:
  template <class Activity>
  struct Grown {
    std::vector<Activity>
        sets;  ///< as analyze_streams() or analyze_devices() give them; gaps are shared with later ones
    std::vector<std::size_t>
        kept;  ///< by set: the number of gaps, from the first, that are those of the previous trace
  };

  /// `growth` and `news`: of the trace. O(activities newly ended + activities open); when lanes moved, + gaps.
  void update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news);
  const Grown<StreamActivity>& streams() const { return streams_; }
  const Grown<DeviceActivity>& devices() const { return devices_; }

 private:
  /// A place from which the walk can go on: all that starts before `time` was looked at.
  struct Mark {
    Nanos time = kMinNanos;
    ActivityWalk walk;
    std::size_t gaps = 0;
  };
  struct Known {
    SharedVector<Gap> gaps;
    std::vector<Mark> marks;  ///< ascending by time
  };
  using Key = std::tuple<SourceId, StringId, StringId>;  // source, device, stream

  ActivityWalk walk_on(const Trace& trace, const StreamGroup& group, const std::vector<bool>& is_activity,
                       const LaneGrowth& growth, const LaneGrowth::News& news, Known& known, std::size_t& kept);

  std::map<Key, Known> of_streams_;
  std::map<Key, Known> of_devices_;
  Grown<StreamActivity> streams_;
  Grown<DeviceActivity> devices_;
};

}  // namespace lacuna
