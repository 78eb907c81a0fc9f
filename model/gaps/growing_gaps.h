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

/// Returns all streams of a device as one stream without a track: for a StreamBusyIndex.
StreamActivity to_stream_activity(const DeviceActivity& device);

/// The gaps of a running recording, updated from one trace of it to the next: activities that ended before the
/// horizon are processed once, later ones each time. For one recording; one thread at a time.
class GrowingGaps {
 public:
  template <class Activity>
  struct Grown {
    std::vector<Activity> sets;  ///< as from analyze_streams() or analyze_devices(); gaps are shared with later results
    std::vector<std::size_t> kept;  ///< by set: how many of the first gaps are unchanged from the previous trace
  };

  /// `growth` and `news` must belong to the trace. O(newly ended + open activities); plus gaps if lanes moved.
  void update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news);
  const Grown<StreamActivity>& streams() const { return streams_; }
  const Grown<DeviceActivity>& devices() const { return devices_; }

 private:
  /// A state from which the walk can resume: all activities that start before `time` were processed.
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
