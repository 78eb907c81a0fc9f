#include "model/linking.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

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

/// Tracks by (source, pid, tid), for binding flows.
class TrackFinder {
 public:
  explicit TrackFinder(const Trace& trace) : trace_(trace) {
    for (const Track& track : trace.tracks()) {
      if (track.kind == TrackKind::kCounter || track.kind == TrackKind::kAsync) continue;
      const Process& process = trace.process(track.process);
      tracks_[key(process.source, process.pid, track.tid)].push_back(track.id);
    }
  }

  SliceId bind(SourceId source, const FlowEvent& event) const {
    const auto found = tracks_.find(key(source, event.pid, event.tid));
    if (found == tracks_.end()) return {};
    const bool wants_next = event.phase == 'f' && !event.binds_enclosing;
    SliceId best;
    for (const TrackId id : found->second) {
      const Track& track = trace_.track(id);
      SliceId slice = wants_next ? next_at(track, event.time) : trace_.innermost_at(track, event.time);
      if (!slice.valid()) slice = wants_next ? trace_.innermost_at(track, event.time) : ending_at(track, event.time);
      // On a GPU, kernels before annotations; otherwise what starts last is innermost.
      if (slice.valid() && (!best.valid() || rank(slice) > rank(best))) best = slice;
    }
    return best;
  }

 private:
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return (a ^ b) * 0x9E3779B97F4A7C15ull; }
  struct Key {
    std::uint32_t source, pid, tid;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const noexcept { return mix(mix(mix(k.source, 1), k.pid) >> 7, k.tid); }
  };
  static Key key(SourceId source, StringId pid, StringId tid) { return {source.value, pid.value, tid.value}; }

  std::pair<int, Nanos> rank(SliceId s) const {
    return {is_gpu_activity(trace_.category_class(s)) ? 1 : 0, trace_.span(s).begin};
  }

  SliceId next_at(const Track& track, Nanos t) const {
    SliceId best;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      const std::uint32_t i = lane.first_starting_from(t);
      if (i < lane.size() && (!best.valid() || lane.start(i) < trace_.span(best).begin)) best = {id, i};
    }
    return best;
  }

  /// Whole-microsecond files put a flow at the very end of its slice.
  SliceId ending_at(const Track& track, Nanos t) const {
    if (t == kMinNanos) return {};
    const SliceId slice = trace_.innermost_at(track, t - 1);
    return slice.valid() && trace_.span(slice).end == t ? slice : SliceId{};
  }

  const Trace& trace_;
  std::unordered_map<Key, std::vector<TrackId>, KeyHash> tracks_;
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

std::vector<FlowArrow> link_flows(const Trace& trace, std::vector<std::pair<SourceId, FlowEvent>> events,
                                  ImportReport& report) {
  const auto key = [](const auto& e) { return std::tuple(e.first, e.second.category, e.second.id); };
  std::ranges::sort(events, [&](const auto& a, const auto& b) {
    const auto ka = key(a);
    const auto kb = key(b);
    if (ka != kb) return ka < kb;
    return std::tie(a.second.time, a.second.file_offset) < std::tie(b.second.time, b.second.file_offset);
  });
  const TrackFinder finder(trace);
  std::vector<FlowArrow> arrows;

  const auto add_arrow = [&](SourceId source, const FlowEvent& from, const FlowEvent& to) {
    const SliceId from_slice = finder.bind(source, from);
    const SliceId to_slice = finder.bind(source, to);
    if (!from_slice.valid() || !to_slice.valid()) {
      report.add(Finding::kFlowWithoutSlice, (from_slice.valid() ? to : from).file_offset);
      return;
    }
    arrows.push_back({from_slice, to_slice, from.time, to.time, CategoryId{from.category}});
  };

  for (std::size_t begin = 0; begin < events.size();) {
    std::size_t end = begin;
    std::size_t starts = 0;
    std::size_t steps = 0;
    const FlowEvent* open = nullptr;
    for (; end < events.size() && key(events[end]) == key(events[begin]); ++end) {
      const FlowEvent& event = events[end].second;
      starts += event.phase == 's';
      steps += event.phase == 't';
      if (event.phase == 's') open = &event;
    }
    const SourceId source = events[begin].first;
    if (starts != 1 || steps != 0) open = nullptr;  // then only a start seen earlier counts
    bool open_is_used = open == nullptr;
    for (std::size_t i = begin; i < end; ++i) {
      const FlowEvent& event = events[i].second;
      if (event.phase == 's') {
        if (&event != open) {
          if (!open_is_used) report.add(Finding::kFlowStartWithoutFinish, open->file_offset);
          open = &event;
          open_is_used = false;
        } else {
          continue;
        }
      } else if (open == nullptr) {
        report.add(Finding::kFlowFinishWithoutStart, event.file_offset);
        if (event.phase == 't') {
          open = &event;
          open_is_used = true;
        }
      } else {
        add_arrow(source, *open, event);
        open_is_used = true;
        if (event.phase == 't') open = &event;
      }
    }
    if (!open_is_used) report.add(Finding::kFlowStartWithoutFinish, open->file_offset);
    begin = end;
  }
  return arrows;
}

}  // namespace lacuna
