#include "model/gaps/gaps.h"

#include <algorithm>
#include <queue>

#include "model/base/natural_order.h"
#include "model/base/parallel.h"

namespace lacuna {
namespace {

/// The GPU stream tracks of one group: one stream, or all streams of one device.
struct Group {
  SourceId source;
  StringId device = kEmptyString;
  StringId stream = kEmptyString;
  std::vector<TrackId> tracks;
};

/// Groups the GPU streams of `trace` in the order of the result.
std::vector<Group> group_streams(const Trace& trace, bool by_device) {
  std::vector<Group> groups;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kGpuStream) continue;
    Group key{trace.process(track.process).source, track.device, by_device ? kEmptyString : track.stream, {}};
    // A trace has at most some hundred streams: a linear search is the simple choice.
    auto found = std::ranges::find_if(groups, [&](const Group& g) {
      return g.source == key.source && g.device == key.device && g.stream == key.stream;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), std::move(key));
    found->tracks.push_back(track.id);
  }
  std::ranges::stable_sort(groups, [&trace](const Group& a, const Group& b) {
    if (a.source != b.source) return a.source < b.source;
    if (a.device != b.device) return natural_less(trace.text(a.device), trace.text(b.device));
    return natural_less(trace.text(a.stream), trace.text(b.stream));
  });
  return groups;
}

/// Which categories are activity, as a table: the loop below asks once per slice.
std::vector<bool> activity_categories(const Trace& trace, bool kernels_only) {
  std::vector<bool> table;
  for (const Category& category : trace.categories())
    table.push_back(kernels_only ? category.meaning == CategoryClass::kKernel : is_gpu_activity(category.meaning));
  return table;
}

/// One activity, clipped to the range.
struct Activity {
  TimeSpan span;
  std::uint64_t file_offset = 0;
  SliceId slice;
};

/// Visits the activities of all rows of `tracks` ascending by (start, file offset).
/// Rows are sorted already, so this merges them: O(n log rows).
template <class Visit>
void for_each_activity(const Trace& trace, const Group& group, const std::vector<bool>& is_activity, TimeSpan range,
                       Visit&& visit) {
  struct Cursor {
    Activity next;
    std::uint32_t end = 0;  // of the row
  };
  // Moves to the first activity at or after `index`; false at the end of the row.
  const auto settle = [&](Cursor& cursor, LaneId lane_id, std::uint32_t index) {
    const Lane& lane = trace.lane(lane_id);
    for (; index < cursor.end; ++index) {
      const std::uint32_t category = lane.category(index).value;
      if (category >= is_activity.size() || !is_activity[category]) continue;
      cursor.next = {lane.span(index).intersect(range), lane.file_offset(index), {lane_id, index}};
      return true;
    }
    return false;
  };
  const auto later = [](const Cursor& a, const Cursor& b) {
    return a.next.span.begin != b.next.span.begin ? a.next.span.begin > b.next.span.begin
                                                  : a.next.file_offset > b.next.file_offset;
  };

  std::priority_queue<Cursor, std::vector<Cursor>, decltype(later)> rows(later);
  for (const TrackId id : group.tracks) {
    const Track& track = trace.track(id);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId lane_id{track.first_lane.value + k};
      const Lane& lane = trace.lane(lane_id);
      const std::uint32_t first = lane.first_visible_from(range.begin);
      Cursor cursor;
      cursor.end = range.end == kMaxNanos ? lane.size() : lane.first_starting_from(range.end, first);
      if (settle(cursor, lane_id, first)) rows.push(cursor);
    }
  }
  while (!rows.empty()) {
    Cursor cursor = rows.top();
    rows.pop();
    while (true) {
      visit(cursor.next);
      if (!settle(cursor, cursor.next.slice.lane, cursor.next.slice.index + 1)) break;
      // Mostly the same row goes on: stay out of the queue then.
      if (!rows.empty() && later(cursor, rows.top())) {
        rows.push(cursor);
        break;
      }
    }
  }
}

/// Walks one group and keeps what streams and devices have in common: first_start, last_end, busy,
/// events of `result`. Calls gap(before, after) for each gap and seen(activity) for each activity.
template <class Result, class Gap, class Seen>
void measure(const Trace& trace, const Group& group, const std::vector<bool>& is_activity, TimeSpan range,
             Result& result, Gap&& gap, Seen&& seen) {
  Activity latest;  // of those so far, the one that ends last
  for_each_activity(trace, group, is_activity, range, [&](const Activity& activity) {
    const TimeSpan span = activity.span;
    if (result.events++ == 0) {
      result.first_start = span.begin;
      result.busy = span.duration();
      latest = activity;
    } else {
      if (span.begin > latest.span.end) gap(latest, activity);
      result.busy = saturating_add(result.busy, TimeSpan{std::max(span.begin, latest.span.end), span.end}.duration());
      if (span.end > latest.span.end) latest = activity;
    }
    result.last_end = latest.span.end;
    seen(activity);
  });
}

auto add_gap_to(std::vector<Gap>& gaps, const Trace& trace, const Group& group) {
  // At most one gap an activity. What stays unused of a large table is never touched, and so no memory.
  std::size_t most = 0;
  for (const TrackId track : group.tracks) most += trace.track(track).slice_count;
  gaps.reserve(most);
  return [&gaps, &trace, hint = std::size_t{0}](const Activity& before, const Activity& after) mutable {
    const SliceId launch = trace.links().launch_of(after.slice, hint);
    gaps.push_back({before.span.end, after.span.begin, before.slice, after.slice, launch});
  };
}

}  // namespace

std::vector<StreamActivity> analyze_streams(const Trace& trace, const GapOptions& options) {
  const std::vector<bool> is_activity = activity_categories(trace, options.kernels_only);
  const std::vector<Group> groups = group_streams(trace, false);
  std::vector<StreamActivity> result(groups.size());
  parallel_for(groups.size(), options.threads, [&](std::size_t i) {
    const Group& group = groups[i];
    StreamActivity& stream = result[i];
    stream.track = group.tracks.front();
    stream.device = group.device;
    stream.stream = group.stream;
    measure(trace, group, is_activity, options.range, stream, add_gap_to(stream.gaps, trace, group),
            [&](const Activity& activity) {
              stream.sum_duration = saturating_add(stream.sum_duration, activity.span.duration());
            });
  });
  std::erase_if(result, [](const StreamActivity& stream) { return stream.events == 0; });
  return result;
}

std::vector<DeviceActivity> analyze_devices(const Trace& trace, const GapOptions& options) {
  const std::vector<bool> is_activity = activity_categories(trace, options.kernels_only);
  std::vector<DeviceActivity> result;
  for (const Group& group : group_streams(trace, true)) {
    DeviceActivity device;
    device.source = group.source;
    device.device = group.device;
    measure(trace, group, is_activity, options.range, device, add_gap_to(device.gaps, trace, group),
            [](const Activity&) {});
    if (device.events > 0) result.push_back(std::move(device));
  }
  return result;
}

}  // namespace lacuna
