#include "model/gaps/gaps.h"

#include "model/base/parallel.h"
#include "model/gaps/activity_walk.h"

namespace lacuna {

std::vector<StreamActivity> analyze_streams(const Trace& trace, const GapOptions& options) {
  const std::vector<bool> is_activity = activity_categories(trace, options.kernels_only);
  const std::vector<StreamGroup> groups = group_streams(trace, false);
  std::vector<StreamActivity> result(groups.size());
  parallel_for(groups.size(), options.threads, [&](std::size_t i) {
    const StreamGroup& group = groups[i];
    StreamActivity& stream = result[i];
    stream.track = group.tracks.front();
    stream.device = group.device;
    stream.stream = group.stream;
    ActivityWalk walk;
    for_each_activity(trace, group, is_activity, options.range, kMinNanos,
                      [&, add = GapAdder(stream.gaps, trace)](const GpuActivity& a) mutable { walk.step(a, add); });
    walk.tell(stream);
    stream.sum_duration = walk.sum_duration;
  });
  std::erase_if(result, [](const StreamActivity& stream) { return stream.events == 0; });
  return result;
}

std::vector<DeviceActivity> analyze_devices(const Trace& trace, const GapOptions& options) {
  const std::vector<bool> is_activity = activity_categories(trace, options.kernels_only);
  std::vector<DeviceActivity> result;
  for (const StreamGroup& group : group_streams(trace, true)) {
    DeviceActivity device;
    device.source = group.source;
    device.device = group.device;
    ActivityWalk walk;
    for_each_activity(trace, group, is_activity, options.range, kMinNanos,
                      [&, add = GapAdder(device.gaps, trace)](const GpuActivity& a) mutable { walk.step(a, add); });
    walk.tell(device);
    if (device.events > 0) result.push_back(std::move(device));
  }
  return result;
}

}  // namespace lacuna
