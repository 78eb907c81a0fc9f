#include "model/causes/window_gaps.h"

#include <algorithm>

#include "model/base/natural_order.h"
#include "model/gaps/activity_walk.h"

namespace lacuna {
namespace {

/// The activities beside a range: the last that ended before or in it, and the first that starts at its end or later.
struct Neighbours {
  SliceId last;
  SliceId next;
};

Neighbours neighbours(const Trace& trace, const StreamGroup& group, const std::vector<bool>& is_activity, Nanos time) {
  Neighbours found;
  const auto counts = [&](const Lane& lane, std::uint32_t i) {
    const std::uint32_t category = lane.category(i).value;
    return category < is_activity.size() && is_activity[category];
  };
  for (const TrackId id : group.tracks) {
    const Track& track = trace.track(id);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId lane_id{track.first_lane.value + k};
      const Lane& lane = trace.lane(lane_id);
      const std::uint32_t from = lane.first_starting_from(time);
      std::uint32_t i = from;
      while (i < lane.size() && !counts(lane, i)) ++i;
      if (i < lane.size() && (!found.next.valid() || lane.start(i) < trace.span(found.next).begin))
        found.next = {lane_id, i};
      i = from;
      while (i > 0 && !counts(lane, i - 1)) --i;
      if (i > 0 && (!found.last.valid() || lane.end(i - 1) > trace.span(found.last).end)) found.last = {lane_id, i - 1};
    }
  }
  return found;
}

}  // namespace

std::vector<WindowGaps> diagnose_window(const CauseIndex& index, SourceId source, TimeSpan range, bool kernels_only) {
  const Trace& trace = index.trace();
  const std::vector<bool> is_activity = activity_categories(trace, kernels_only);
  std::vector<WindowGaps> result;
  for (const StreamGroup& group : group_streams(trace, true)) {
    if (group.source != source) continue;
    WindowGaps device;
    CausedGaps& set = device.gaps;
    set.is_device = true;
    set.source = source;
    set.device = group.device;
    set.window = range.duration();
    const auto add = [&](TimeSpan span, SliceId before, SliceId after) {
      const SliceId launch = after.valid() ? trace.links().launch_of(after) : SliceId{};
      set.gaps.push_back({span.begin, span.end, before, after, launch});
    };
    SharedVector<Gap> inner;
    ActivityWalk walk;
    for_each_activity(trace, group, is_activity, range, kMinNanos,
                      [&, adder = GapAdder(inner, trace)](const GpuActivity& a) mutable { walk.step(a, adder); });
    DeviceActivity activity;
    walk.tell(activity);
    device.activities = activity.events;
    const Neighbours at_begin = neighbours(trace, group, is_activity, range.begin);
    if (!at_begin.last.valid() && !at_begin.next.valid()) continue;
    if (activity.events == 0) {
      device.edges[0] = range;
      if (!range.empty()) add(range, at_begin.last, at_begin.next);
    } else {
      set.busy = activity.busy;
      device.edges = {TimeSpan{range.begin, activity.first_start}, TimeSpan{activity.last_end, range.end}};
      if (!device.edges[0].empty()) add(device.edges[0], at_begin.last, at_begin.next);
      for (const Gap& gap : inner) set.gaps.push_back(gap);
      if (!device.edges[1].empty()) {
        const Neighbours at_end = neighbours(trace, group, is_activity, range.end);
        add(device.edges[1], at_end.last, at_end.next);
      }
    }
    set.diagnoses = index.diagnose(set.gaps);
    result.push_back(std::move(device));
  }
  return result;
}

}  // namespace lacuna
