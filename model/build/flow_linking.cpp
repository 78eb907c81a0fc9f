#include "model/build/flow_linking.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/build/merged_runs.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

/// Binds the flow ends of one thread to slices. They come in ascending time, so that each lane is
/// walked once, from where the last end was found: O(ends + slices passed), in the order of memory.
class FlowBinder {
 public:
  FlowBinder(const Trace& trace, std::span<const TrackId> tracks) : trace_(trace) {
    for (const TrackId id : tracks) {
      const Track& track = trace.track(id);
      for (std::uint32_t k = 0; k < track.lane_count; ++k) cursors_.push_back({LaneId{track.first_lane.value + k}, 0});
    }
  }

  SliceId slice_at(const FlowEnd& event);

 private:
  /// A lane and the first of its slices that starts at or after the last end.
  struct Cursor {
    LaneId lane;
    std::uint32_t next = 0;
  };

  /// On a GPU, kernels before annotations; otherwise what starts last is innermost.
  void prefer(SliceId& best, SliceId slice) const;

  const Trace& trace_;
  std::vector<Cursor> cursors_;
};

/// Makes the arrows of ends that share source, category and id; they come ordered by time.
class FlowChains {
 public:
  FlowChains(PageVector<FlowArrow>& arrows, ImportReport& report) : arrows_(arrows), report_(report) {}

  /// `indices` lie in `ends`.
  void add(std::span<const FlowEnd> ends, std::span<const SortKey> indices);

 private:
  void add_arrow(const FlowEnd& from, const FlowEnd& to);

  PageVector<FlowArrow>& arrows_;
  ImportReport& report_;
};

}  // namespace

SliceId FlowBinder::slice_at(const FlowEnd& event) {
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
    const std::uint32_t before = cursor.next;  // the number of those that start earlier
    if (before > 0 && lane.end(before - 1) == event.time) prefer(ending, {cursor.lane, before - 1});
  }
  const bool wants_next = event.phase == 'f' && !event.binds_enclosing;
  if (wants_next) return following.valid() ? following : enclosing;
  // Whole-microsecond files put a flow at the very end of its slice; so does torch.profiler with the dependencies of
  // the nodes of CUDA graphs, which leave a GPU activity where the next one may begin.
  const auto is_activity = [this](SliceId s) { return s.valid() && is_gpu_activity(trace_.category_class(s)); };
  const bool leaves_at_end =
      event.phase == 's' && is_activity(ending) && enclosing.valid() && trace_.span(enclosing).begin == event.time;
  return enclosing.valid() && !leaves_at_end ? enclosing : ending;
}

void FlowBinder::prefer(SliceId& best, SliceId slice) const {
  const auto rank = [this](SliceId s) {
    return std::pair(is_gpu_activity(trace_.category_class(s)) ? 1 : 0, trace_.span(s).begin);
  };
  if (!best.valid() || rank(slice) >= rank(best)) best = slice;
}

void FlowChains::add(std::span<const FlowEnd> ends, std::span<const SortKey> indices) {
  const FlowEnd* open = nullptr;
  std::size_t starts = 0;
  std::size_t steps = 0;
  for (const SortKey& k : indices) {
    const FlowEnd& end = ends[k.index];
    starts += end.phase == 's';
    steps += end.phase == 't';
    if (end.phase == 's') open = &end;
  }
  if (starts != 1 || steps != 0) open = nullptr;  // then only a start seen earlier counts
  const FlowEnd* const only_start = open;
  bool open_is_used = open == nullptr;
  for (const SortKey& k : indices) {
    const FlowEnd& here = ends[k.index];
    if (&here == only_start) continue;
    if (here.phase == 's') {
      if (!open_is_used) report_.add(Finding::kFlowStartWithoutFinish, open->file_offset);
      open = &here;
      open_is_used = false;
    } else if (open == nullptr) {
      report_.add(Finding::kFlowFinishWithoutStart, here.file_offset);
      if (here.phase == 't') {
        open = &here;
        open_is_used = true;
      }
    } else {
      add_arrow(*open, here);
      open_is_used = true;
      if (here.phase == 't') open = &here;
    }
  }
  if (!open_is_used) report_.add(Finding::kFlowStartWithoutFinish, open->file_offset);
}

void FlowChains::add_arrow(const FlowEnd& from, const FlowEnd& to) {
  if (!from.slice.valid() || !to.slice.valid()) {
    report_.add(Finding::kFlowWithoutSlice, (from.slice.valid() ? to : from).file_offset);
    return;
  }
  arrows_.push_back({from.slice, to.slice, from.time, to.time, CategoryId{from.category}});
}

std::map<FlowThread, std::vector<TrackId>> tracks_by_thread(const Trace& trace) {
  std::map<FlowThread, std::vector<TrackId>> result;
  for (const Track& track : trace.tracks()) {
    if (!traits_of(track.kind).has_tid) continue;
    const Process& process = trace.process(track.process);
    result[{process.source, process.pid, track.tid}].push_back(track.id);
  }
  return result;
}

static_assert(sizeof(FlowEnd) == 40);

FlowEnd to_end(const FlowEvent& event, SourceId source, const IdRemap& remap) {
  FlowEnd end;
  end.time = saturating_add(event.time, remap.shift_ns);
  end.file_offset = event.file_offset;
  end.id = event.id.is_text() ? FlowId::text(remap(event.id.as_text())) : event.id;
  end.source = source.value;
  end.category = remap(event.category);
  end.phase = event.phase;
  end.binds_enclosing = event.binds_enclosing;
  end.binds_own_slice = event.binds_own_slice;
  return end;
}

void bind_ends_of_thread(const Trace& trace, std::span<const TrackId> tracks, std::span<FlowEnd> ends,
                         const std::atomic<bool>* cancel) {
  FlowBinder binder(trace, tracks);
  CancelCheck gives_up(cancel);
  for (FlowEnd& end : ends) {
    if (gives_up()) return;
    end.slice = binder.slice_at(end);
  }
}

void chain_ends(std::span<const FlowEnd> ends, std::span<const SortKey> indices, PageVector<FlowArrow>& arrows,
                ImportReport& report) {
  FlowChains(arrows, report).add(ends, indices);
}

BoundFlows bind_flows(const Trace& trace, std::vector<FlowRun> runs, unsigned threads,
                      const std::atomic<bool>* cancel) {
  struct Thread {
    std::vector<std::uint32_t> runs;
    std::span<const TrackId> tracks;
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  const std::map<FlowThread, std::vector<TrackId>> tracks = tracks_by_thread(trace);
  std::map<FlowThread, Thread> by_key;
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    Thread& thread = by_key[{runs[i].source, runs[i].pid, runs[i].tid}];
    thread.runs.push_back(i);
    thread.count += runs[i].events->size();
  }
  BoundFlows bound;
  std::vector<Thread> list;
  std::size_t total = 0;
  for (auto& [key, thread] : by_key) {
    thread.begin = std::exchange(total, total + thread.count);
    if (const auto found = tracks.find(key); found != tracks.end()) thread.tracks = found->second;
    list.push_back(std::move(thread));
  }
  std::ranges::sort(list, std::greater{}, &Thread::count);

  // Not filled here: each worker is the first to touch its part.
  bound.memory = PageBlock(total * sizeof(FlowEnd));
  bound.ends = {reinterpret_cast<FlowEnd*>(bound.memory.data()), total};
  bound.threads.resize(list.size());
  parallel_for(list.size(), threads, [&](std::size_t k) {
    const Thread& thread = list[k];
    FlowEnd* at = bound.ends.data() + thread.begin;
    RunMerge<FlowEvent, EarlierFlow> merge(EarlierFlow{});
    for (const std::uint32_t r : thread.runs) merge.add(*runs[r].events, r);
    merge.begin();
    for (auto next = merge.next(); next.record != nullptr; next = merge.next()) {
      FlowRun& run = runs[next.run];
      std::construct_at(at++, to_end(*next.record, run.source, *run.remap));
      if (next.is_last_of_run) run.events.reset();
    }
    const std::span<FlowEnd> own = bound.ends.subspan(thread.begin, thread.count);
    // Of one source, and so shifted alike: unsorted only where a time cannot be shifted so far.
    if (!std::ranges::is_sorted(own, {}, &FlowEnd::time)) std::ranges::sort(own, {}, &FlowEnd::time);
    bind_ends_of_thread(trace, thread.tracks, own, cancel);
    bound.threads[k] = own;
  });
  return bound;
}

}  // namespace lacuna
