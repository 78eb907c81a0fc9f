#pragma once
// Walks the activities of GPU streams in order, for code that looks for gaps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/base/natural_order.h"
#include "model/gaps/gaps.h"
#include "model/trace/trace.h"
#include "model/trace/tracks_of.h"

namespace lacuna {

/// The GPU stream tracks of one group: one stream, or all streams of one device.
struct StreamGroup {
  SourceId source;
  StringId device = kEmptyString;
  StringId stream = kEmptyString;
  std::vector<TrackId> tracks;
};

/// Groups the GPU streams of `trace` in the order of the result.
inline std::vector<StreamGroup> group_streams(const Trace& trace, bool by_device) {
  std::vector<StreamGroup> groups;
  std::map<std::tuple<SourceId, StringId, StringId>, std::size_t> known;
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream)) {
    const SourceId source = trace.process(track.process).source;
    const StringId stream = by_device ? kEmptyString : track.stream;
    const auto [at, is_new] = known.try_emplace({source, track.device, stream}, groups.size());
    if (is_new) groups.push_back({source, track.device, stream, {}});
    groups[at->second].tracks.push_back(track.id);
  }
  std::ranges::stable_sort(groups, [&trace](const StreamGroup& a, const StreamGroup& b) {
    if (a.source != b.source) return a.source < b.source;
    if (a.device != b.device) return natural_less(trace.text(a.device), trace.text(b.device));
    return natural_less(trace.text(a.stream), trace.text(b.stream));
  });
  return groups;
}

/// Returns a table of the categories that are activities: the loop below reads it once per slice.
inline std::vector<bool> activity_categories(const Trace& trace, bool kernels_only) {
  std::vector<bool> table;
  for (const Category& category : trace.categories())
    table.push_back(kernels_only ? category.meaning == CategoryClass::kKernel : is_gpu_activity(category.meaning));
  return table;
}

/// One activity, clipped to the range.
struct GpuActivity {
  TimeSpan span;
  std::uint64_t file_offset = 0;
  SliceId slice;
};

/// Visits the activities of all rows of the group, ascending by (start, file offset): those in `range`, clipped to it,
/// that start at `from` or later.
/// Rows are sorted already, so this merges them: O(n log rows).
template <class Visit>
void for_each_activity(const Trace& trace, const StreamGroup& group, const std::vector<bool>& is_activity,
                       TimeSpan range, Nanos from, Visit&& visit) {
  struct Cursor {
    GpuActivity next;
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

  std::vector<Cursor> rows;  // a heap by start: the earliest is at the front
  const auto push = [&](const Cursor& cursor) {
    rows.push_back(cursor);
    std::push_heap(rows.begin(), rows.end(), later);
  };
  for (const TrackId id : group.tracks) {
    const Track& track = trace.track(id);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId lane_id{track.first_lane.value + k};
      const Lane& lane = trace.lane(lane_id);
      const std::uint32_t first = std::max(lane.first_visible_from(range.begin), lane.first_starting_from(from));
      Cursor cursor;
      cursor.end = range.end == kMaxNanos ? lane.size() : lane.first_starting_from(range.end, first);
      if (settle(cursor, lane_id, first)) push(cursor);
    }
  }
  while (!rows.empty()) {
    std::pop_heap(rows.begin(), rows.end(), later);
    Cursor cursor = rows.back();
    rows.pop_back();
    while (true) {
      visit(cursor.next);
      if (!settle(cursor, cursor.next.slice.lane, cursor.next.slice.index + 1)) break;
      // Mostly the next activity is in the same row: then avoid the heap.
      if (!rows.empty() && later(cursor, rows.front())) {
        push(cursor);
        break;
      }
    }
  }
}

/// Appends gaps to a table, each with the launch of the activity after it.
class GapAdder {
 public:
  GapAdder(SharedVector<Gap>& gaps, const Trace& trace) : gaps_(gaps), trace_(trace) {}
  void operator()(const GpuActivity& before, const GpuActivity& after) {
    const SliceId launch = trace_.links().launch_of(after.slice, hint_);
    gaps_.push_back({before.span.end, after.span.begin, before.slice, after.slice, launch});
  }

 private:
  SharedVector<Gap>& gaps_;
  const Trace& trace_;
  Links::Hint hint_;
};

/// The running result of a walk over a stream's or a device's activities: tell() sets first_start, last_end, busy and
/// events of the result.
struct ActivityWalk {
  GpuActivity latest;  ///< the activity so far that ends last
  std::uint64_t events = 0;
  Nanos first_start = 0;
  Nanos busy = 0;
  Nanos sum_duration = 0;

  /// Adds an activity; calls gap(before, after) if there is a gap before it.
  template <class Add>
  void step(const GpuActivity& activity, Add&& gap) {
    const TimeSpan span = activity.span;
    if (events++ == 0) {
      first_start = span.begin;
      busy = span.duration();
      latest = activity;
    } else {
      if (span.begin > latest.span.end) gap(latest, activity);
      busy = saturating_add(busy, TimeSpan{std::max(span.begin, latest.span.end), span.end}.duration());
      if (span.end > latest.span.end) latest = activity;
    }
    sum_duration = saturating_add(sum_duration, span.duration());
  }
  template <class Result>
  void tell(Result& result) const {
    result.events = events;
    result.first_start = first_start;
    result.last_end = latest.span.end;
    result.busy = busy;
  }
};

}  // namespace lacuna
