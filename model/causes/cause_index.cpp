#include "model/causes/cause_index.h"

#include <algorithm>

#include "model/base/parallel.h"
#include "model/causes/known_names.h"

namespace lacuna {

struct CauseIndex::Examination {
  GapFacts facts;
  GapDiagnosis diagnosis;
  TimeSpan before_issue;  // as a span of time
  TimeSpan queue;         // from the issue of the activity to its start
  SliceId copy_call;      // the one that most of copy_saves is in
};

const CauseIndex::DeviceFacts* CauseIndex::device_of(const Track& stream) const {
  return device_of(trace_->process(stream.process).source, stream.device);
}

const CauseIndex::DeviceFacts* CauseIndex::device_of(SourceId source, StringId device) const {
  const auto found = device_numbers_.find({source, device});
  return found == device_numbers_.end() ? nullptr : &devices_[found->second];
}

void CauseIndex::examine_launch(const Gap& gap, Examination& e) const {
  e.facts.gap = gap.duration();
  e.facts.has_launch = gap.launch.valid();
  Nanos issued = gap.start;
  if (gap.launch.valid()) {
    const TimeSpan call = trace_->span(gap.launch);
    const TimeSpan after = trace_->span(gap.after);
    e.facts.late = call.begin > gap.start;
    e.facts.before_launch = std::max<Nanos>(0, saturating_sub(call.begin, after.begin));
    // An activity is issued somewhere inside its call, and mostly starts just as the call returns.
    // A call that waits for its copy to end says nothing by its end; a copy from the host is an
    // exception, because staging it comes first.
    const bool waits = trace_->category_class(gap.after) == CategoryClass::kMemcpy && call.end >= after.end &&
                       !is_host_to_device(trace_->name(gap.after));
    issued = waits ? call.begin : std::min(call.end, gap.end);
    // What a graph has started is issued as a whole.
    const auto graph = std::ranges::lower_bound(graphs_, gap.launch, {}, &GraphStart::launch);
    if (graph != graphs_.end() && graph->launch == gap.launch) {
      e.facts.inside_graph = graph->first_start < after.begin;
      e.facts.of_graph = true;
      issued = std::min(issued, graph->first_start);
    }
    e.diagnosis.thread = trace_->lane(gap.launch).track;
    e.queue = {issued, after.begin};
  }
  issued = std::clamp(issued, gap.start, gap.end);
  e.before_issue = {gap.start, issued};
  e.facts.before_issue = issued - gap.start;
  e.facts.in_queue = gap.end - issued;
}

Nanos CauseIndex::sync_saves(TrackId thread, TimeSpan window, const DeviceFacts& device) const {
  // Only while the GPU was busy did such a call wait for it: cudaFree may as well take its time on
  // its own. Of a call that was open when the gap began, the part before counts as well: without
  // it, the CPU would have been that much further.
  const auto calls = threads_[thread.value].synchronising.intervals();
  auto call = std::ranges::upper_bound(calls, window.begin, {}, &TimeSpan::begin);
  if (call != calls.begin() && (call - 1)->contains(window.begin)) --call;
  Nanos sum = 0;
  for (; call != calls.end() && call->begin < window.end; ++call)
    sum = saturating_add(sum, device.busy.covered({call->begin, std::min(call->end, window.end)}));
  return std::min(sum, window.duration());
}

TrackId CauseIndex::responsible_thread(const Gap& gap, TimeSpan window) const {
  const TrackId issuer = trace_->lane(gap.launch).track;
  const auto is_busy = [&](Nanos time) { return time >= window.duration() - time; };
  if (is_busy(threads_[issuer.value].busy.covered(window))) return issuer;
  // It has little to show for the time. It may have waited for another one that has, as backward's
  // thread does for the main thread before loss.backward(), and the main thread during it; if none
  // has, it ran what is not recorded, Python without stacks for instance.
  TrackId thread = issuer;
  Nanos most = 0;
  const ProcessId process = trace_->track(issuer).process;
  for (const TrackId other : launching_[process.value]) {
    const Nanos busy = threads_[other.value].busy.covered(window);
    if (!is_busy(busy) || busy <= most) continue;
    most = busy;
    thread = other;
  }
  return thread;
}

void CauseIndex::examine_thread(const Gap& gap, Examination& e) const {
  const TimeSpan window = e.before_issue;
  if (window.empty()) return;
  TrackId thread = responsible_thread(gap, window);
  const ThreadFacts& t = threads_[thread.value];
  e.diagnosis.thread = thread;
  e.facts.data_loading = t.data_loading.covered(window);
  e.facts.host_communication = t.host_communication.covered(window);
  e.facts.copying = t.copying.covered(window);
  e.facts.allocating = t.allocating.covered(window);
  e.facts.first_use = t.first_use.covered(window);
  e.facts.not_scheduled = t.states.valid() ? states_[t.states.value].covered(window) : 0;
  const DeviceFacts* device = device_of(trace_->track_of(gap.after));
  if (device == nullptr) return;
  e.facts.full_queue = device->full_queue.covered(window);
  find_copy(gap, thread, *device, e);
  e.facts.sync_saves = sync_saves(thread, window, *device);
  // Another thread may have let this one start late: loss.item() before loss.backward().
  for (const SliceId launch : {gap.launch, launch_before(gap)}) {
    if (!launch.valid()) continue;
    const TrackId other = trace_->lane(launch).track;
    const Nanos saves = other == thread ? 0 : sync_saves(other, window, *device);
    if (saves > e.facts.sync_saves) {
      thread = other;
      e.facts.sync_saves = saves;
    }
  }
  e.diagnosis.sync_time = e.facts.sync_saves;
  if (e.facts.sync_saves == 0) return;

  // The call that weighs most, and what the GPU did while the CPU waited inside the gap.
  const std::vector<TimedSlice>& calls = threads_[thread.value].sync_calls.items();
  auto call = std::ranges::upper_bound(calls, window.begin, {}, [](const TimedSlice& c) { return c.span.begin; });
  if (call != calls.begin() && (call - 1)->span.end > window.begin) --call;
  Nanos longest = -1;
  for (; call != calls.end() && call->span.begin < window.end; ++call) {
    const Nanos waited = device->busy.covered(call->span);
    if (waited > longest) {
      longest = waited;
      e.diagnosis.sync_call = call->slice;
    }
    e.facts.sync_on_communication =
        saturating_add(e.facts.sync_on_communication, device->communication.covered(call->span.intersect(window)));
  }
}

SliceId CauseIndex::launch_before(const Gap& gap) const {
  return gap.before.valid() ? trace_->links().launch_of(gap.before) : SliceId{};
}

void CauseIndex::find_missing_nodes(const Gap& gap, Examination& e) const {
  if (partial_replays_.empty()) return;
  const auto of = [this](SliceId launch) -> const PartialReplay* {
    const auto found = std::ranges::lower_bound(partial_replays_, launch, {}, &PartialReplay::launch);
    return found != partial_replays_.end() && found->launch == launch ? &*found : nullptr;
  };
  const PartialReplay* own = gap.launch.valid() ? of(gap.launch) : nullptr;
  const SliceId before = launch_before(gap);
  const PartialReplay* other = own == nullptr && before.valid() ? of(before) : nullptr;
  e.facts.lacks_nodes = own != nullptr;
  e.facts.after_lacking_nodes = other != nullptr;
  if (const PartialReplay* replay = own != nullptr ? own : other; replay != nullptr) {
    e.diagnosis.missing_nodes = replay->missing;
    e.diagnosis.graph_nodes = replay->nodes;
  }
}

/// The part of a copy call before its copy started, where that is the first activity of its stream in the file.
TimeSpan CauseIndex::wait_for_unrecorded(SliceId call) const {
  const TimeSpan span = trace_->span(call);
  for (const LaunchLink& link : trace_->links().activities_of(call)) {
    const Nanos start = trace_->span(link.activity).begin;
    if (start - span.begin > kLaunchLatencyNs && start <= span.end && !before_on_stream(link.activity).valid())
      return {span.begin, start};
  }
  return TimeSpan::nothing();
}

void CauseIndex::find_copy(const Gap& gap, TrackId thread, const DeviceFacts& device, Examination& e) const {
  const TimeSpan window = e.before_issue;
  const ThreadFacts& t = threads_[thread.value];
  Nanos most = 0;
  const auto add = [&](TimeSpan span, SliceId call, Nanos of_copy) {
    const Nanos idle = std::max<Nanos>(0, span.duration() - device.busy.covered(span) + of_copy);
    e.facts.copy_saves = saturating_add(e.facts.copy_saves, idle);
    if (idle <= most) return;
    most = idle;
    e.copy_call = call;
  };
  const std::vector<TimedSlice>& calls = t.sync_calls.items();
  auto call = std::ranges::upper_bound(calls, window.begin, {}, [](const TimedSlice& c) { return c.span.begin; });
  if (call != calls.begin() && (call - 1)->span.end > window.begin) --call;
  for (; call != calls.end() && call->span.begin < window.end; ++call)
    if (t.copying.contains(call->span.begin)) {
      add(call->span.intersect(window), call->slice, 0);
      e.facts.copying_after_unrecorded = saturating_add(e.facts.copying_after_unrecorded,
                                                        wait_for_unrecorded(call->slice).intersect(window).duration());
    }
  // What went before the gap as well, of the copy that it follows.
  const SliceId copied = launch_before(gap);
  if (copied.valid() && trace_->lane(copied).track == thread && t.copying.contains(trace_->span(copied).begin)) {
    const TimeSpan before = trace_->span(copied).intersect({kMinNanos, window.begin});
    if (!before.empty()) add(before, copied, trace_->span(gap.before).intersect(before).duration());
  }
  e.facts.copy_saves = std::min(e.facts.copy_saves, window.duration());
}

void CauseIndex::examine_surroundings(const Gap& gap, Examination& e) const {
  const Track& stream = trace_->track_of(gap.after);
  const SourceFacts& source = sources_[trace_->process(stream.process).source.value];
  const TimeSpan whole{gap.start, gap.end};
  const TimeSpan judged = e.before_issue.empty() ? whole : e.before_issue;
  e.facts.has_steps = source.has_steps;
  e.facts.judged = judged.duration();
  e.facts.judged_in_profiler = source.profiler.covered(judged);
  e.facts.judged_in_steps = source.steps.covered(judged);
  // Work that a step issued belongs to it, however late the GPU gets to it.
  if (gap.launch.valid() && !e.facts.late && source.steps.contains(trace_->span(gap.launch).begin))
    e.facts.judged_in_steps = e.facts.judged;

  e.facts.queued = e.queue.duration();
  e.facts.queued_in_profiler = source.profiler.covered(e.queue);
  e.diagnosis.profiler_time = e.facts.judged_in_profiler;
  e.diagnosis.code_loading = source.code_loading.covered(e.before_issue);
  e.facts.first_use = std::max(e.facts.first_use, e.diagnosis.code_loading);
  e.facts.full_queue = std::max(e.facts.full_queue, source.full_buffer.covered(e.before_issue));
}

SliceId CauseIndex::before_on_stream(SliceId activity) const {
  const Track& track = trace_->track_of(activity);
  const Nanos start = trace_->span(activity).begin;
  SliceId best;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId id{track.first_lane.value + k};
    const Lane& lane = trace_->lane(id);
    for (std::uint32_t i = lane.first_starting_from(start); i-- > 0;) {
      if (!is_gpu_activity(trace_->category_class(lane.category(i)))) continue;
      if (!best.valid() || lane.start(i) > trace_->span(best).begin) best = {id, i};
      break;
    }
  }
  return best;
}

void CauseIndex::examine_record(const Gap& gap, Examination& e) const {
  const SourceFacts& source = sources_[trace_->process(trace_->track_of(gap.after).process).source.value];
  e.facts.lacks_cpu = !source.has_launches;
  if (!gap.launch.valid()) return;
  const SliceId before = before_on_stream(gap.after);
  e.facts.is_first_on_stream = !before.valid();
  // What was issued between the activity before it on its stream and itself.
  const Lane& call = trace_->lane(gap.launch);
  const SliceId call_before = before.valid() ? trace_->links().launch_of(before) : SliceId{};
  const Nanos until = call.start(gap.launch.index);
  const Nanos from = call_before.valid() ? trace_->span(call_before).begin : kMinNanos;
  if (call_before.valid()) {
    const std::vector<TimedSlice>& callbacks = source.host_callbacks.items();
    const auto callback =
        std::ranges::upper_bound(callbacks, from, {}, [](const TimedSlice& c) { return c.span.begin; });
    e.facts.behind_host_callback = callback != callbacks.end() && callback->span.begin < until;
    const auto lacking = std::ranges::upper_bound(source.without_activity, from);
    e.facts.lacks_work = lacking != source.without_activity.end() && *lacking < until;
  }
  if (!source.is_thinned || !call_before.valid()) return;
  const std::uint64_t own = call.correlation(gap.launch.index);
  const std::uint64_t other = trace_->lane(call_before).correlation(call_before.index);
  const auto rank = [&](std::uint64_t correlation) {
    std::uint64_t below = 0;
    for (const std::vector<std::uint64_t>* list : {&source.correlations, &source.open_correlations})
      below += static_cast<std::uint64_t>(std::ranges::lower_bound(*list, correlation) - list->begin());
    return below;
  };
  // Fewer calls are in the file than their numbers count.
  if (own > other && rank(own) - rank(other) < own - other) e.facts.lacks_work = true;
}

void CauseIndex::find_event(const Gap& gap, Examination& e) const {
  const SliceId target = waits_.target(*trace_, gap.after);
  if (!target.valid()) return;
  const Nanos end = trace_->span(target).end;
  // It started before the event: the stream was not waiting for this one after all.
  if (end > saturating_add(gap.end, 1'000)) return;
  e.facts.event_wait = std::clamp<Nanos>(end - e.before_issue.end, 0, e.facts.in_queue);
  if (e.facts.event_wait == 0) return;
  e.facts.event_of_communication =
      trace_->category_class(target) == CategoryClass::kKernel && is_communication_kernel(trace_->name(target));
  e.diagnosis.waited_for = target;
}

void CauseIndex::find_release(const Gap& gap, Examination& e) const {
  if (at_least_half(e.facts.event_wait, e.facts.gap)) return;
  if (e.facts.in_queue <= kLaunchLatencyNs) return;
  const Track& stream = trace_->track_of(gap.after);
  const DeviceFacts* device = device_of(stream);
  if (device == nullptr) return;
  const auto is_communication = [&](SliceId slice) {
    return trace_->category_class(slice) == CategoryClass::kKernel && is_communication_kernel(trace_->name(slice));
  };
  // The last end on the device while the activity waited in the queue. It is on another stream: those of this one
  // ended before the gap began, but for what takes no time where the gap ends.
  const Nanos queued = e.before_issue.end;
  auto later = std::ranges::upper_bound(device->endings, gap.end, {}, &Ending::end);
  while (later != device->endings.begin() && (later - 1)->end == gap.end &&
         trace_->track_of((later - 1)->slice).stream == stream.stream)
    --later;
  if (later != device->endings.begin() && (later - 1)->end > queued) {
    const Ending& last = *(later - 1);
    e.facts.has_release = true;
    e.facts.release_delay = gap.end - last.end;
    e.facts.released_by_communication = is_communication(last.slice);
    if (release_is_close(e.facts)) {
      e.diagnosis.waited_for = last.slice;
      return;
    }
  }
  // Or something that ran all the while and still runs: the GPU was full until its first blocks
  // were done. A collective takes few multiprocessors, and a copy from or to the host none.
  const Nanos since = queued + e.facts.in_queue / kReleaseShare;
  TrackId first;  // of the streams on which it does
  for (const auto& [longest, id] : device->streams) {
    if (longest < saturating_sub(gap.end, since)) break;
    const Track& other = trace_->track(id);
    if (other.stream == stream.stream || (first.valid() && first < id)) continue;
    const SliceId running = trace_->innermost_at(other, gap.end);
    if (!running.valid() || trace_->span(running).begin > since) continue;
    const CategoryClass category = trace_->category_class(running);
    const bool fills_gpu = (category == CategoryClass::kKernel && !is_communication(running)) ||
                           (category == CategoryClass::kMemcpy && is_on_device(trace_->name(running)));
    if (!fills_gpu) continue;
    first = id;
    e.facts.was_crowded_out = true;
    e.diagnosis.waited_for = running;
  }
}

void CauseIndex::find_late_rank(const Gap& gap, Examination& e) const {
  if (!late_) return;
  const DeviceFacts* device = device_of(trace_->track_of(gap.after));
  if (device == nullptr) return;
  const TimeSpan whole{gap.start, gap.end};
  e.facts.waiting_for_ranks = e.diagnosis.rank_wait = device->late.covered(whole);
  if (e.facts.waiting_for_ranks == 0) return;
  Nanos most = 0;
  const Nanos since = saturating_sub(whole.begin, device->longest_late);
  auto wait = std::ranges::lower_bound(device->late_waits, since, {}, [](const LateWait& w) { return w.span.begin; });
  for (; wait != device->late_waits.end() && wait->span.begin < whole.end; ++wait) {
    const Nanos here = wait->span.intersect(whole).duration();
    if (here <= most) continue;
    most = here;
    e.diagnosis.late_rank = wait->rank;
  }
}

CauseIndex::RankWaits CauseIndex::rank_waits(SourceId source, StringId device, TimeSpan window) const {
  RankWaits sum;
  const DeviceFacts* facts = device_of(source, device);
  if (facts == nullptr) return sum;
  for (const TimeSpan& wait : facts->late.intervals()) {
    const TimeSpan inside = wait.intersect(window);
    if (inside.empty()) continue;
    sum.total = saturating_add(sum.total, inside.duration());
    sum.exposed = saturating_add(sum.exposed, inside.duration() - facts->beside.covered(inside));
  }
  for (const LateWait& wait : facts->late_waits)
    if (wait.span.overlaps(window) && wait.span.duration() > sum.longest.span.duration()) sum.longest = wait;
  return sum;
}

/// Nothing runs on the GPU after the gap: what its launching thread did instead of launching more.
void CauseIndex::examine_end(Gap gap, Examination& e) const {
  gap.after = gap.before;
  gap.launch = launch_before(gap);
  const ProcessId process = trace_->track_of(gap.before).process;
  e.facts.gap = gap.duration();
  e.facts.late = true;
  e.facts.has_launch = gap.launch.valid();
  if (gap.launch.valid()) {
    e.before_issue = {gap.start, gap.end};
    e.facts.before_issue = gap.duration();
    e.diagnosis.thread = trace_->lane(gap.launch).track;
    examine_thread(gap, e);
  } else {
    e.facts.in_queue = gap.duration();
    e.facts.lacks_cpu = !sources_[trace_->process(process).source.value].has_launches;
  }
  examine_surroundings(gap, e);
}

/// The profiler held back what the CPU launched in the gap: by how much the CPU took longer to launch that than the GPU
/// took to do it. Without the profiler the GPU would have been idle for so long all the same.
Nanos CauseIndex::launching_time(const Gap& gap, const Examination& e) const {
  Nanos last = gap.start, work = 0;
  for (const TrackId thread : launching_[trace_->track(e.diagnosis.thread).process.value]) {
    const Track& track = trace_->track(thread);
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace_->lane(id);
      for (std::uint32_t i = lane.first_starting_from(gap.start); i < lane.size() && lane.start(i) < gap.end; ++i) {
        if (trace_->category_class(lane.category(i)) != CategoryClass::kRuntime) continue;
        for (const LaunchLink& link : trace_->links().activities_of({id, i})) {
          last = std::max(last, std::min(lane.end(i), gap.end));
          work = saturating_add(work, trace_->span(link.activity).duration());
        }
      }
    }
  }
  return std::max<Nanos>(0, last - gap.start - work);
}

CauseIndex::Examination CauseIndex::examine(const Gap& gap) const {
  Examination e;
  if (!gap.after.valid()) {
    examine_end(gap, e);
    finish(gap, e);
    return e;
  }
  examine_launch(gap, e);
  examine_thread(gap, e);
  examine_surroundings(gap, e);
  examine_record(gap, e);
  find_missing_nodes(gap, e);
  find_event(gap, e);
  find_release(gap, e);
  find_late_rank(gap, e);
  finish(gap, e);
  return e;
}

void CauseIndex::finish(const Gap& gap, Examination& e) const {
  e.diagnosis.rule = first_rule(e.facts);
  e.diagnosis.cause = gap_rules()[e.diagnosis.rule].cause;
  const bool behind_copy = e.diagnosis.cause == GapCause::kBlockingCopy || e.diagnosis.cause == GapCause::kNotRecorded;
  if (behind_copy && at_least_half(e.facts.copy_saves, e.facts.before_issue)) {
    e.diagnosis.sync_call = e.copy_call;
    e.diagnosis.sync_time = e.facts.copy_saves;
  }
  e.diagnosis.late = e.facts.late;
  e.diagnosis.before_issue = e.facts.before_issue;
  e.diagnosis.in_queue = e.facts.in_queue;
  if (e.diagnosis.cause != GapCause::kProfilerOverhead || e.facts.in_queue <= e.facts.before_issue) return;
  if (at_least_half(e.facts.queued_in_profiler, e.facts.queued)) e.diagnosis.profiler_time = e.facts.queued_in_profiler;
  if (e.diagnosis.thread.valid()) e.diagnosis.launching = launching_time(gap, e);
}

IntervalSet CauseIndex::time_of(GapCause cause, TrackId thread) const {
  const ThreadFacts& t = threads_[thread.value];
  std::vector<TimeSpan> spans;
  const auto add = [&](std::span<const TimeSpan> more) { spans.insert(spans.end(), more.begin(), more.end()); };
  if (cause == GapCause::kDataLoading) add(t.data_loading.intervals());
  if (cause == GapCause::kAllocation) add(t.allocating.intervals());
  if (cause == GapCause::kNotScheduled && t.states.valid()) add(states_[t.states.value].intervals());
  if (cause == GapCause::kFirstUse) {
    add(t.first_use.intervals());
    add(sources_[trace_->process(trace_->track(thread).process).source.value].code_loading.intervals());
  }
  return IntervalSet(std::move(spans));
}

GapFacts CauseIndex::facts(const Gap& gap) const {
  return examine(gap).facts;
}

GapDiagnosis CauseIndex::diagnose(const Gap& gap) const {
  return examine(gap).diagnosis;
}

SharedVector<GapDiagnosis> CauseIndex::diagnose(const SharedVector<Gap>& gaps, unsigned threads) const {
  constexpr std::size_t kBlock = 10'000;
  const std::size_t blocks = (gaps.size() + kBlock - 1) / kBlock;
  SharedVector<GapDiagnosis> result;
  if (blocks <= 1 || threads <= 1) {
    for (const Gap& gap : gaps) result.push_back(diagnose(gap));
    return result;
  }
  std::vector<std::vector<GapDiagnosis>> of_blocks(blocks);
  parallel_for(blocks, threads, [&](std::size_t block) {
    const std::size_t end = std::min((block + 1) * kBlock, gaps.size());
    for (std::size_t g = block * kBlock; g < end; ++g) of_blocks[block].push_back(diagnose(gaps[g]));
  });
  for (std::vector<GapDiagnosis>& block : of_blocks) {
    for (const GapDiagnosis& diagnosis : block) result.push_back(diagnosis);
    block = {};
  }
  return result;
}

}  // namespace lacuna
