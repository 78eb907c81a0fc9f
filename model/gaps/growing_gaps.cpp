#include "model/gaps/growing_gaps.h"

#include <utility>

namespace lacuna {
namespace {

constexpr std::size_t kMostGapMarks = 64;

/// Drops every other one of the older half: slices seldom come much later than those that ended with them.
template <class Mark>
void thin_out(std::vector<Mark>& marks) {
  if (marks.size() < kMostGapMarks) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (i % 2 == 0 || i >= marks.size() / 2) marks[kept++] = marks[i];
  marks.resize(kept);
}

}  // namespace

StreamActivity to_stream_activity(const DeviceActivity& device) {
  StreamActivity all;
  all.device = device.device;
  all.events = device.events;
  all.first_start = device.first_start;
  all.last_end = device.last_end;
  all.busy = device.busy;
  all.gaps = device.gaps;
  return all;
}

ActivityWalk GrowingGaps::walk_on(const Trace& trace, const StreamGroup& group, const std::vector<bool>& is_activity,
                                  const LaneGrowth& growth, const LaneGrowth::News& news, Known& known,
                                  std::size_t& kept) {
  while (!known.marks.empty() && known.marks.back().time > news.since) known.marks.pop_back();
  const Mark from = known.marks.empty() ? Mark{} : known.marks.back();
  kept = from.gaps;
  known.gaps.shorten(kept);
  if (news.has_moved) {
    SharedVector<Gap> moved;
    for (Gap gap : known.gaps) {
      for (SliceId* slice : {&gap.before, &gap.after, &gap.launch}) *slice = growth.moved(*slice);
      moved.push_back(gap);
    }
    known.gaps = std::move(moved);
    for (Mark& mark : known.marks) mark.walk.latest.slice = growth.moved(mark.walk.latest.slice);
  }
  ActivityWalk walk = from.walk;
  walk.latest.slice = news.has_moved ? growth.moved(walk.latest.slice) : walk.latest.slice;
  GapAdder add(known.gaps, trace);
  bool is_marked = false;
  const auto mark = [&] {
    is_marked = true;
    if (known.marks.empty() || known.marks.back().time < growth.horizon()) {
      thin_out(known.marks);
      known.marks.push_back({growth.horizon(), walk, known.gaps.size()});
    }
  };
  for_each_activity(trace, group, is_activity, TimeSpan::everything(), from.time, [&](const GpuActivity& activity) {
    if (!is_marked && activity.span.begin >= growth.horizon()) mark();
    walk.step(activity, add);
  });
  if (!is_marked) mark();
  return walk;
}

void GrowingGaps::update(const Trace& trace, const LaneGrowth& growth, const LaneGrowth::News& news) {
  if (news.starts_over) {
    of_streams_.clear();
    of_devices_.clear();
  }
  const std::vector<bool> is_activity = activity_categories(trace, false);
  streams_ = {};
  devices_ = {};
  for (const bool by_device : {false, true})
    for (const StreamGroup& group : group_streams(trace, by_device)) {
      Known& known = (by_device ? of_devices_ : of_streams_)[{group.source, group.device, group.stream}];
      std::size_t kept = 0;
      const ActivityWalk walk = walk_on(trace, group, is_activity, growth, news, known, kept);
      if (walk.events == 0) continue;
      if (by_device) {
        DeviceActivity& device = devices_.sets.emplace_back();
        device.source = group.source;
        device.device = group.device;
        walk.tell(device);
        device.gaps = known.gaps;
        devices_.kept.push_back(kept);
      } else {
        StreamActivity& stream = streams_.sets.emplace_back();
        stream.track = group.tracks.front();
        stream.device = group.device;
        stream.stream = group.stream;
        walk.tell(stream);
        stream.sum_duration = walk.sum_duration;
        stream.gaps = known.gaps;
        streams_.kept.push_back(kept);
      }
    }
}

}  // namespace lacuna
