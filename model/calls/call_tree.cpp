#include "model/calls/call_tree.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/base/cancel.h"
#include "model/base/parallel.h"
#include "model/calls/call_walk.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// The part of a row whose slices overlap the range.
struct VisibleRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

VisibleRun visible_run(const Lane& lane, TimeSpan range) {
  VisibleRun run;
  run.first = lane.first_visible_from(range.begin);
  run.last = range.end == kMaxNanos ? lane.size() : lane.first_starting_from(range.end, run.first);
  return run;
}

/// Builds trees as the options say.
class CallTreeBuilder {
 public:
  CallTreeBuilder(const Trace& trace, const CallTreeOptions& options)
      : trace_(trace), options_(options), graphs_(origins_for_calls(trace, options)), memos_(trace, options) {
    for (const SliceId place : options.places)
      (trace.track_of(place).kind == TrackKind::kGpuStream ? gpu_places_ : cpu_places_).push_back(place);
    is_track_counted_.assign(trace.tracks().size(), options.tracks.empty());
    for (const TrackId track : options.tracks) {
      is_track_counted_[track.value] = true;
      counts_streams_ |= trace.track(track).kind == TrackKind::kGpuStream;
    }
    // Work launched by threads, where only threads are chosen.
    by_thread_ = !options.tracks.empty() && !counts_streams_;
  }

  CallPaths run() {
    switch (options_.metric) {
      case CallMetric::kCpuTime:
        return self_time(TrackKind::kThread);
      case CallMetric::kSamples:
        return self_time(TrackKind::kStacks);
      case CallMetric::kGpuTime:
        return gpu_time();
      case CallMetric::kIdleTime:
        return idle_time();
      case CallMetric::kPath:
        return path_time();
    }
    return {};
  }

 private:
  bool gives_up() const { return is_cancelled(options_.cancel); }
  /// Nothing of the CPU can count: only GPU work was chosen.
  bool has_only_gpu_places() const { return cpu_places_.empty() && !gpu_places_.empty(); }
  bool is_counted(TrackId track) const { return is_track_counted_[track.value]; }

  // --- self time: of slices on CPU threads, or of sampled frames ---------------------------------

  CallPaths self_time(TrackKind kind) {
    CallPaths all;
    if (has_only_gpu_places()) return all;
    std::vector<const Track*> threads;
    for (const Track& track : trace_.tracks())
      if (track.kind == kind && is_counted(track.id)) threads.push_back(&track);
    // The largest first; the sums are the same in any order, and the tree is sorted at the end.
    std::ranges::sort(threads, std::ranges::greater{}, &Track::slice_count);
    std::vector<std::unique_ptr<CallPaths>> paths(threads.size());
    parallel_for(threads.size(), options_.threads, [&](std::size_t t) {
      if (gives_up()) return;
      paths[t] = std::make_unique<CallPaths>();
      memos_.with([&](CallMemo& memo) { add_thread(*threads[t], *paths[t], memo); });
    });
    if (paths.size() == 1 && paths.front() != nullptr) return std::move(*paths.front());
    for (const auto& of_thread : paths)
      if (of_thread != nullptr) all.add(*of_thread);
    return all;
  }

  void add_thread(const Track& thread, CallPaths& paths, CallMemo& memo) {
    CallWalk walk(trace_, options_, cpu_places_, paths, memo);
    std::vector<CallPlace> above, own;
    std::uint32_t first_above = 0;
    for (std::uint32_t k = 0; k < thread.lane_count && !gives_up(); ++k) {
      const LaneId id{thread.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      const VisibleRun run = visible_run(lane, options_.range);
      auto chosen = std::ranges::lower_bound(cpu_places_, SliceId{id, run.first});
      own.clear();
      own.reserve(run.last - run.first);
      for (std::uint32_t i = run.first; i < run.last; ++i) {
        const SliceId slice{id, i};
        bool is_chosen = false;
        if (walk.is_limited()) {
          while (chosen != cpu_places_.end() && *chosen < slice) ++chosen;
          is_chosen = chosen != cpu_places_.end() && *chosen == slice;
        }
        CallPlace around = walk.outermost();
        if (lane.depth > 0) {
          const std::uint32_t parent = lane.parent(i) - first_above;
          if (parent >= above.size()) {  // around it is nothing in the range: it lasts no time
            own.push_back({CallPlace::kNobody, false, false});
            continue;
          }
          around = above[parent];
        }
        const CallPlace place = walk.step(around, lane, i, is_chosen);
        own.push_back(place);
        const Nanos clipped = lane.span(i).intersect(options_.range).duration();
        if (lane.depth > 0 && around.is_inside && around.node != CallPlace::kNobody) {
          Nanos& outer = paths[around.node].self;
          outer = saturating_sub(outer, clipped);
        }
        if (!place.is_inside || place.node == CallPlace::kNobody) continue;
        CallPaths::Node& node = paths[place.node];
        node.self = saturating_add(node.self, clipped);
        if (!place.is_own) continue;
        ++node.count;
        paths.note_longest(place.node, slice, lane.duration(i));
        paths.note_first(place.node, lane.start(i));
      }
      std::swap(above, own);
      first_above = run.first;
    }
  }

  // --- GPU time ----------------------------------------------------------------------------------

  CallPaths gpu_time() {
    std::vector<const Track*> streams;
    for (const Track& track : tracks_of(trace_, TrackKind::kGpuStream))
      if (by_thread_ || is_counted(track.id)) streams.push_back(&track);
    std::ranges::sort(streams, std::ranges::greater{}, &Track::slice_count);
    std::vector<std::unique_ptr<CallPaths>> paths(streams.size());
    parallel_for(streams.size(), options_.threads, [&](std::size_t s) {
      if (gives_up()) return;
      paths[s] = std::make_unique<CallPaths>();
      memos_.with([&](CallMemo& memo) { add_stream(*streams[s], *paths[s], memo); });
    });
    CallPaths all;
    for (const auto& of_stream : paths)
      if (of_stream != nullptr) all.add(*of_stream);
    return all;
  }

  void add_stream(const Track& stream, CallPaths& paths, CallMemo& memo) {
    CallWalk walk(trace_, options_, cpu_places_, paths, memo);
    const LinkTable<LaunchLink>& links = trace_.links().by_activity();
    CancelCheck check(options_.cancel);
    for (std::uint32_t k = 0; k < stream.lane_count; ++k) {
      const LaneId id{stream.first_lane.value + k};
      const Lane& lane = trace_.lane(id);
      const VisibleRun run = visible_run(lane, options_.range);
      auto link = links.lower_bound(SliceId{id, run.first}, &LaunchLink::activity);
      for (std::uint32_t i = run.first; i < run.last && !check(); ++i) {
        const SliceId activity{id, i};
        if (!is_gpu_activity(trace_.category_class(lane.category(i)))) continue;
        while (link != links.end() && link->activity < activity) ++link;
        const SliceId launch = link != links.end() && link->activity == activity ? link->launch : SliceId{};
        if (by_thread_ && !(launch.valid() && is_counted(trace_.lane(launch).track))) continue;
        add_activity(walk, paths, activity, launch, lane.span(i).intersect(options_.range).duration());
      }
    }
  }

  void add_activity(CallWalk& walk, CallPaths& paths, SliceId activity, SliceId launch, Nanos time) {
    bool is_inside = !has_only_gpu_places() && walk.outermost().is_inside;
    if (!gpu_places_.empty()) is_inside |= std::ranges::binary_search(gpu_places_, activity);
    const Lane& lane = trace_.lane(activity);
    const CallKey key{CallKind::kSlices, lane.category(activity.index), lane.name(activity.index)};
    std::uint32_t node = CallPaths::kRoot;
    if (launch.valid()) {
      const CallPlace place = place_of_work(walk, activity, launch);
      is_inside |= walk.is_limited() && place.is_inside;
      if (!is_inside) return;
      node = walk.below(place, key);
    } else {
      if (!is_inside) return;
      node = paths.child(paths.child(CallPaths::kRoot, CallKey::of(CallKind::kNoLaunch)), key);
    }
    CallPaths::Node& to = paths[node];
    to.self = saturating_add(to.self, time);
    ++to.count;
    paths.note_longest(node, activity, lane.duration(activity.index));
    paths.note_first(node, lane.start(activity.index));
  }

  /// Of a node of a graph what it was captured in, as if its launch called that.
  CallPlace place_of_work(CallWalk& walk, SliceId activity, SliceId launch) const {
    CallPlace place = walk.place_of(launch);
    const std::vector<SliceId> captured = graphs_.captured_in(trace_, activity);
    for (auto around = captured.rbegin(); around != captured.rend(); ++around)
      place = walk.step(place, trace_.lane(*around), around->index, walk.is_limited() && walk.is_chosen(*around));
    return place;
  }

  // --- idle time ---------------------------------------------------------------------------------

  /// A gap, or a part of it, that the CPU is charged with.
  struct Charge {
    TimeSpan span;  ///< what the thread did then is charged …
    SliceId call;   ///< … or, where valid, what this is in, with `time`
    Nanos time = 0;
  };

  CallPaths idle_time() {
    CallPaths paths;
    if (has_only_gpu_places()) return paths;
    std::vector<std::vector<Charge>> charges(trace_.tracks().size());
    for (const CausedGaps& set : options_.gaps)
      for (std::size_t g = 0; g < set.gaps.size(); ++g) collect(set.gaps[g], set.diagnoses[g], charges, paths);
    std::vector<std::unique_ptr<CallPaths>> of_threads(charges.size());
    parallel_for(charges.size(), options_.threads, [&](std::size_t t) {
      if (charges[t].empty() || gives_up()) return;
      of_threads[t] = std::make_unique<CallPaths>();
      memos_.with([&](CallMemo& memo) { charge_thread(trace_.tracks()[t], charges[t], *of_threads[t], memo); });
    });
    for (const auto& of_thread : of_threads)
      if (of_thread != nullptr) paths.add(*of_thread);
    return paths;
  }

  // --- critical path -----------------------------------------------------------------------------

  CallPaths path_time() {
    CallPaths paths;
    CallMemo memo(trace_, options_);
    CallWalk walk(trace_, options_, cpu_places_, paths, memo);
    // By slice, so that the walk goes one way, and what comes again is charged at once.
    std::vector<CallCharge> charges(options_.charges.begin(), options_.charges.end());
    std::ranges::stable_sort(charges, {}, &CallCharge::slice);
    CancelCheck check(options_.cancel);
    for (const CallCharge& charge : charges) {
      if (check()) break;
      if (charge.slice.valid() && trace_.track_of(charge.slice).kind == TrackKind::kGpuStream)
        add_activity(walk, paths, charge.slice, trace_.links().launch_of(charge.slice), charge.time);
      else
        charge_slice(walk, paths, charge.slice, charge.time);
    }
    return paths;
  }

  /// Whom the parts of a gap are charged to: as charge_operators() does it.
  void collect(const Gap& gap, const GapDiagnosis& diagnosis, std::vector<std::vector<Charge>>& charges,
               CallPaths& paths) const {
    const Nanos lost = gap.duration();
    if (!is_cpu_caused(diagnosis.cause) || !diagnosis.thread.valid()) {
      if (by_thread_ || !cpu_places_.empty()) return;
      const auto cause = static_cast<std::uint32_t>(diagnosis.cause);
      const std::uint32_t node = paths.child(CallPaths::kRoot, CallKey::of(CallKind::kCause, cause));
      paths[node].self = saturating_add(paths[node].self, lost);
      ++paths[node].count;
      return;
    }
    const auto charge = [&](TrackId thread, const Charge& part) {
      if (!by_thread_ || is_counted(thread)) charges[thread.value].push_back(part);
    };
    const auto to_call = [&](SliceId call, Nanos time) { charge(trace_.lane(call).track, {{}, call, time}); };
    if (is_one_synchronisation(trace_, diagnosis)) return to_call(diagnosis.sync_call, lost);
    const Nanos before = std::min(diagnosis.before_issue, lost);
    if (before > 0) charge(diagnosis.thread, {{gap.start, gap.start + before}, {}, before});
    if (before == lost) return;
    if (gap.launch.valid()) {
      to_call(gap.launch, lost - before);
    } else {
      charge(diagnosis.thread, {{gap.start + before, gap.end}, {}, lost - before});
    }
  }

  void charge_thread(const Track& thread, std::vector<Charge>& charges, CallPaths& paths, CallMemo& memo) const {
    CallWalk walk(trace_, options_, cpu_places_, paths, memo);
    InnermostWalk innermost(trace_, thread);
    const auto start = [this](const Charge& c) { return c.call.valid() ? trace_.span(c.call).begin : c.span.begin; };
    std::ranges::stable_sort(charges, {}, start);  // so that the walks go one way
    CancelCheck check(options_.cancel);
    std::vector<TimeSpan> spans;
    for (const Charge& c : charges) {
      if (check()) return;
      if (c.call.valid())
        charge_slice(walk, paths, c.call, c.time);
      else
        spans.push_back(c.span);
    }
    bool is_enough = false;
    for_each_shared(innermost, spans, [&](TimeSpan part, SliceId slice, std::uint64_t times) {
      if (is_enough || (is_enough = check())) return;
      charge_slice(walk, paths, slice, part.duration(), times);
    });
  }

  void charge_slice(CallWalk& walk, CallPaths& paths, SliceId slice, Nanos time, std::uint64_t times = 1) const {
    CallPlace place = walk.outermost();
    if (slice.valid()) place = walk.place_of(slice);
    if (!place.is_inside) return;
    const bool is_nobody = !slice.valid() || place.node == CallPlace::kNobody;
    const std::uint32_t node =
        is_nobody ? paths.child(CallPaths::kRoot, CallKey::of(CallKind::kUnrecorded)) : place.node;
    const bool fits = time <= kMaxNanos / static_cast<Nanos>(times);
    paths[node].self = saturating_add(paths[node].self, fits ? time * static_cast<Nanos>(times) : kMaxNanos);
    paths[node].count += times;
    if (slice.valid() && place.is_own) paths.note_longest(node, slice, time);
  }

  const Trace& trace_;
  const CallTreeOptions& options_;
  const GraphOrigins graphs_;
  CallMemos memos_;
  std::vector<SliceId> cpu_places_, gpu_places_;
  std::vector<bool> is_track_counted_;
  bool counts_streams_ = false;
  bool by_thread_ = false;
};

}  // namespace

std::vector<CallKey> CallTree::path_to(std::uint32_t node) const {
  std::vector<CallKey> path;
  for (; node != 0; node = nodes[node].parent) path.push_back(nodes[node].key);
  std::ranges::reverse(path);
  return path;
}

std::uint32_t CallTree::follow(std::span<const CallKey> path) const {
  std::uint32_t at = 0;
  for (const CallKey& key : path) {
    const auto below = children(nodes[at]);
    const auto found = std::ranges::find(below, key, &CallNode::key);
    if (found == below.end()) break;
    at = index_of(*found);
  }
  return at;
}

CallPaths build_call_paths(const Trace& trace, const CallTreeOptions& options) {
  return CallTreeBuilder(trace, options).run();
}

CallTree build_call_tree(const Trace& trace, const CallTreeOptions& options) {
  CallPaths paths = build_call_paths(trace, options);
  if (options.bottom_up) paths = paths.inverted();
  return paths.finish(
      trace, options.bottom_up || (options.metric != CallMetric::kCpuTime && options.metric != CallMetric::kSamples));
}

}  // namespace lacuna
