#include "model/linking.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace lacuna {
namespace {

struct Call {
  std::uint32_t source;
  std::uint64_t correlation;
  std::uint64_t file_offset;
  SliceId slice;
};

template <class Visit>
void for_each_slice_with_correlation(const Trace& trace, Visit&& visit) {
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l) {
    const Lane& lane = trace.lanes()[l];
    const Track& track = trace.track(lane.track);
    if (track.kind != TrackKind::kThread && track.kind != TrackKind::kGpuStream) continue;
    const SourceId source = trace.process(track.process).source;
    for (std::uint32_t i = 0; i < lane.size(); ++i)
      visit(track, source, SliceId{LaneId{l}, i}, trace.category_class(lane.category(i)));
  }
}

/// Names of calls that always start GPU work: without it, the trace lost something.
bool starts_gpu_work(std::string_view name) {
  for (std::string_view part : {"LaunchKernel", "GraphLaunch", "MemcpyAsync", "MemsetAsync"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

/// One end of a flow, to be bound to a slice.
struct FlowEnd {
  FlowEvent event;
  SliceId slice;
  SourceId source;
};

/// Binds flow ends to slices. Ends of one thread come in ascending time, so that each lane is walked
/// once, from where the last end was found: O(ends + slices passed), in the order of memory.
class FlowBinder {
 public:
  explicit FlowBinder(const Trace& trace) : trace_(trace) {
    for (const Track& track : trace.tracks()) {
      if (track.kind == TrackKind::kCounter || track.kind == TrackKind::kAsync) continue;
      const Process& process = trace.process(track.process);
      tracks_[{process.source, process.pid, track.tid}].push_back(track.id);
    }
  }

  void bind(std::vector<FlowEnd>& ends) {
    std::vector<std::uint32_t> order(ends.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto before = [&ends](std::uint32_t a, std::uint32_t b) { return sort_key(ends[a]) < sort_key(ends[b]); };
    if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
    const std::vector<TrackId>* tracks = nullptr;
    for (std::size_t k = 0; k < order.size(); ++k) {
      FlowEnd& end = ends[order[k]];
      if (k == 0 || thread(end) != thread(ends[order[k - 1]])) {
        const auto found = tracks_.find(thread(end));
        tracks = found == tracks_.end() ? nullptr : &found->second;
        restart(tracks);
      }
      if (tracks != nullptr) end.slice = slice_at(end.event);
    }
  }

 private:
  using Thread = std::tuple<SourceId, StringId, StringId>;
  static Thread thread(const FlowEnd& e) { return {e.source, e.event.pid, e.event.tid}; }
  static std::tuple<Thread, Nanos> sort_key(const FlowEnd& e) { return {thread(e), e.event.time}; }

  /// A lane of the current thread and the first of its slices that starts at or after the last end.
  struct Cursor {
    LaneId lane;
    std::uint32_t next = 0;
  };

  void restart(const std::vector<TrackId>* tracks) {
    cursors_.clear();
    if (tracks == nullptr) return;
    for (const TrackId id : *tracks) {
      const Track& track = trace_.track(id);
      for (std::uint32_t k = 0; k < track.lane_count; ++k)
        cursors_.push_back({LaneId{track.first_lane.value + k}, 0});
    }
  }

  SliceId slice_at(const FlowEvent& event) {
    SliceId enclosing, following, ending;
    for (Cursor& cursor : cursors_) {
      const Lane& lane = trace_.lane(cursor.lane);
      cursor.next = lane.first_starting_from(event.time, cursor.next);
      std::uint32_t i = cursor.next;
      if (i < lane.size()) {
        const SliceId slice{cursor.lane, i};
        if (!following.valid() || lane.start(i) < trace_.span(following).begin) following = slice;
        // Of slices that start right here, the last one of the lane is the innermost.
        for (; i < lane.size() && lane.start(i) == event.time; ++i)
          if (event.binds_own_slice && lane.file_offset(i) == event.file_offset) return {cursor.lane, i};
      }
      if (i == 0) continue;
      const SliceId slice{cursor.lane, i - 1};
      if (lane.end(i - 1) > event.time || lane.start(i - 1) == event.time) prefer(enclosing, slice);
      if (lane.end(i - 1) == event.time) prefer(ending, slice);
    }
    const bool wants_next = event.phase == 'f' && !event.binds_enclosing;
    if (wants_next) return following.valid() ? following : enclosing;
    // Whole-microsecond files put a flow at the very end of its slice.
    return enclosing.valid() ? enclosing : ending;
  }

  /// On a GPU, kernels before annotations; otherwise what starts last is innermost.
  void prefer(SliceId& best, SliceId slice) const {
    const auto rank = [this](SliceId s) {
      return std::pair(is_gpu_activity(trace_.category_class(s)) ? 1 : 0, trace_.span(s).begin);
    };
    if (!best.valid() || rank(slice) >= rank(best)) best = slice;
  }

  const Trace& trace_;
  std::map<Thread, std::vector<TrackId>> tracks_;
  std::vector<Cursor> cursors_;
};

}  // namespace

std::vector<LaunchLink> link_launches(const Trace& trace, std::uint64_t& gpu_activities, ImportReport& report) {
  std::vector<Call> calls;
  for_each_slice_with_correlation(trace, [&](const Track&, SourceId source, SliceId s, CategoryClass c) {
    const std::uint64_t correlation = trace.lane(s).correlation(s.index);
    if (c == CategoryClass::kRuntime && correlation != 0)
      calls.push_back({source.value, correlation, trace.lane(s).file_offset(s.index), s});
  });
  const auto order = [](const Call& a, const Call& b) {
    return std::tie(a.source, a.correlation, a.file_offset) < std::tie(b.source, b.correlation, b.file_offset);
  };
  if (!std::ranges::is_sorted(calls, order)) std::ranges::sort(calls, order);

  std::vector<LaunchLink> links;
  std::vector<bool> has_activity(calls.size(), false);
  gpu_activities = 0;
  for_each_slice_with_correlation(trace, [&](const Track& track, SourceId source, SliceId s, CategoryClass c) {
    if (track.kind != TrackKind::kGpuStream || !is_gpu_activity(c)) return;
    ++gpu_activities;
    const Lane& lane = trace.lane(s);
    const std::uint64_t correlation = lane.correlation(s.index);
    const auto found = std::ranges::lower_bound(calls, Call{source.value, correlation, 0, {}}, order);
    if (correlation == 0 || found == calls.end() || found->source != source.value || found->correlation != correlation) {
      report.add(Finding::kGpuActivityUnlinked, lane.file_offset(s.index));
      return;
    }
    const auto next = found + 1;
    if (next != calls.end() && next->source == source.value && next->correlation == correlation)
      report.add(Finding::kSeveralLaunches, lane.file_offset(s.index));
    has_activity[static_cast<std::size_t>(found - calls.begin())] = true;
    links.push_back({found->slice, s});
  });
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!has_activity[i] && starts_gpu_work(trace.name(calls[i].slice)))
      report.add(Finding::kLaunchWithoutActivity, calls[i].file_offset);
  }
  return links;
}

std::vector<FlowArrow> link_flows(const Trace& trace, std::vector<FlowBatch> batches, ImportReport& report) {
  std::size_t count = 0;
  for (const FlowBatch& batch : batches) count += batch.events.size();
  std::vector<FlowEnd> ends;
  ends.reserve(count);
  for (FlowBatch& batch : batches) {
    for (const FlowEvent& event : batch.events) ends.push_back({event, {}, batch.source});
    batch.events = {};
  }
  FlowBinder(trace).bind(ends);

  const auto key = [](const FlowEnd& e) { return std::tuple(e.source, e.event.category, e.event.id); };
  std::ranges::sort(ends, [&](const FlowEnd& a, const FlowEnd& b) {
    const auto ka = key(a);
    const auto kb = key(b);
    if (ka != kb) return ka < kb;
    return std::tie(a.event.time, a.event.file_offset) < std::tie(b.event.time, b.event.file_offset);
  });

  std::vector<FlowArrow> arrows;
  const auto add_arrow = [&](const FlowEnd& from, const FlowEnd& to) {
    if (!from.slice.valid() || !to.slice.valid()) {
      report.add(Finding::kFlowWithoutSlice, (from.slice.valid() ? to : from).event.file_offset);
      return;
    }
    arrows.push_back({from.slice, to.slice, from.event.time, to.event.time, CategoryId{from.event.category}});
  };

  for (std::size_t begin = 0; begin < ends.size();) {
    std::size_t end = begin;
    std::size_t starts = 0;
    std::size_t steps = 0;
    const FlowEnd* open = nullptr;
    for (; end < ends.size() && key(ends[end]) == key(ends[begin]); ++end) {
      starts += ends[end].event.phase == 's';
      steps += ends[end].event.phase == 't';
      if (ends[end].event.phase == 's') open = &ends[end];
    }
    if (starts != 1 || steps != 0) open = nullptr;  // then only a start seen earlier counts
    const FlowEnd* const only_start = open;
    bool open_is_used = open == nullptr;
    for (std::size_t i = begin; i < end; ++i) {
      const FlowEnd& here = ends[i];
      if (&here == only_start) continue;
      if (here.event.phase == 's') {
        if (!open_is_used) report.add(Finding::kFlowStartWithoutFinish, open->event.file_offset);
        open = &here;
        open_is_used = false;
      } else if (open == nullptr) {
        report.add(Finding::kFlowFinishWithoutStart, here.event.file_offset);
        if (here.event.phase == 't') {
          open = &here;
          open_is_used = true;
        }
      } else {
        add_arrow(*open, here);
        open_is_used = true;
        if (here.event.phase == 't') open = &here;
      }
    }
    if (!open_is_used) report.add(Finding::kFlowStartWithoutFinish, open->event.file_offset);
    begin = end;
  }
  return arrows;
}

}  // namespace lacuna
