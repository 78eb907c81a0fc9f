#include "model/causes/cause_index.h"

#include <algorithm>

#include "model/causes/known_names.h"

namespace lacuna {

struct CauseIndex::Examination {
  GapFacts facts;
  GapDiagnosis diagnosis;
  TimeSpan before_issue;  // as a span of time
};

const CauseIndex::DeviceFacts* CauseIndex::device_of(const Track& stream) const {
  const SourceId source = trace_.process(stream.process).source;
  for (const DeviceFacts& device : devices_)
    if (device.source == source && device.device == stream.device) return &device;
  return nullptr;
}

void CauseIndex::examine_launch(const Gap& gap, Examination& e) const {
  e.facts.gap = gap.duration();
  e.facts.has_launch = gap.launch.valid();
  Nanos issued = gap.start;
  if (gap.launch.valid()) {
    const TimeSpan call = trace_.span(gap.launch);
    const TimeSpan after = trace_.span(gap.after);
    e.facts.late = call.begin > gap.start;
    // An activity is issued somewhere inside its call, and mostly starts just as the call returns.
    // A call that waits for its copy to end says nothing by its end; a copy from the host is an
    // exception, because staging it comes first.
    const bool waits = trace_.category_class(gap.after) == CategoryClass::kMemcpy &&
                       call.end >= after.end && !is_host_to_device(trace_.name(gap.after));
    issued = waits ? call.begin : std::min(call.end, gap.end);
    // What a graph has started is issued as a whole.
    const auto graph = std::ranges::lower_bound(graphs_, gap.launch, {}, &GraphStart::launch);
    if (graph != graphs_.end() && graph->launch == gap.launch) {
      e.facts.inside_graph = graph->first_start < after.begin;
      issued = std::min(issued, graph->first_start);
    }
    e.diagnosis.thread = trace_.lane(gap.launch).track;
  }
  issued = std::clamp(issued, gap.start, gap.end);
  e.before_issue = {gap.start, issued};
  e.facts.before_issue = issued - gap.start;
  e.facts.in_queue = gap.end - issued;
}

void CauseIndex::examine_thread(const Gap& gap, Examination& e) const {
  const TimeSpan window = e.before_issue;
  if (window.empty()) return;
  // The thread that issued the activity; but where it has little to show for the time, the one that
  // issued the previous activity: the main thread before backward begins.
  TrackId thread = e.diagnosis.thread;
  TrackId other = thread;
  if (const SliceId previous = trace_.links().launch_of(gap.before); previous.valid())
    other = trace_.lane(previous).track;
  const auto saves = [&](TrackId id) {
    const ThreadFacts& t = threads_[id.value];
    Nanos sum = t.synchronising.covered(window);
    const auto next =
        std::ranges::upper_bound(t.synchronising.intervals(), window.begin, {}, &TimeSpan::begin);
    if (next != t.synchronising.intervals().begin() && (next - 1)->contains(window.begin))
      sum = saturating_add(sum, window.begin - (next - 1)->begin);
    return std::min(sum, window.duration());
  };
  if (other != thread) {
    const Nanos busy = threads_[thread.value].busy.covered(window);
    const Nanos busy_other = threads_[other.value].busy.covered(window);
    if (busy < window.duration() - busy && busy_other > busy) thread = other;
  }
  e.diagnosis.thread = thread;
  const ThreadFacts& t = threads_[thread.value];
  e.facts.data_loading = t.data_loading.covered(window);
  e.facts.host_communication = t.host_communication.covered(window);
  e.facts.synchronising = t.synchronising.covered(window);
  e.facts.sync_saves = saves(thread);
  // The other thread may have let this one start late: loss.item() before loss.backward().
  if (other != thread && saves(other) > e.facts.sync_saves) {
    thread = other;
    e.facts.sync_saves = saves(other);
    e.facts.synchronising = threads_[other.value].synchronising.covered(window);
  }
  e.diagnosis.sync_time = e.facts.sync_saves;
  if (e.facts.sync_saves == 0) return;

  // The call that weighs most, and what the GPU did while the CPU waited inside the gap.
  const std::vector<Call>& calls = threads_[thread.value].sync_calls;
  const DeviceFacts* device = device_of(trace_.track_of(gap.after));
  auto call =
      std::ranges::upper_bound(calls, window.begin, {}, [](const Call& c) { return c.span.begin; });
  if (call != calls.begin() && (call - 1)->span.end > window.begin) --call;
  Nanos longest = 0;
  for (; call != calls.end() && call->span.begin < window.end; ++call) {
    if (call->span.duration() > longest) {
      longest = call->span.duration();
      e.diagnosis.sync_call = call->slice;
    }
    if (device != nullptr)
      e.facts.sync_on_communication =
          saturating_add(e.facts.sync_on_communication,
                         device->communication.covered(call->span.intersect(window)));
  }
}

void CauseIndex::examine_surroundings(const Gap& gap, Examination& e) const {
  const Track& stream = trace_.track_of(gap.after);
  const SourceFacts& source = sources_[trace_.process(stream.process).source.value];
  const TimeSpan whole{gap.start, gap.end};
  const TimeSpan judged = e.before_issue.empty() ? whole : e.before_issue;
  e.facts.has_steps = source.has_steps;
  e.facts.judged = judged.duration();
  e.facts.judged_in_profiler = source.profiler.covered(judged);
  e.facts.judged_in_steps = source.steps.covered(judged);
  // Work that a step issued belongs to it, however late the GPU gets to it.
  if (gap.launch.valid() && !e.facts.late && source.steps.contains(trace_.span(gap.launch).begin))
    e.facts.judged_in_steps = e.facts.judged;

  // The last end on the device while the activity waited in the queue: streams of the gap itself
  // ended before it began.
  const DeviceFacts* device = device_of(stream);
  if (device == nullptr) return;
  const auto after = std::ranges::upper_bound(device->endings, gap.end, {}, &Ending::end);
  if (after == device->endings.begin()) return;
  const Ending& last = *(after - 1);
  if (last.end <= std::max(gap.start, e.before_issue.end)) return;
  e.facts.has_release = true;
  e.facts.release_delay = gap.end - last.end;
  e.facts.released_by_communication = device->communication.contains(last.end - 1);
  e.diagnosis.waited_for = last.slice;
}

CauseIndex::Examination CauseIndex::examine(const Gap& gap) const {
  Examination e;
  examine_launch(gap, e);
  examine_thread(gap, e);
  examine_surroundings(gap, e);
  e.diagnosis.rule = first_rule(e.facts);
  e.diagnosis.cause = gap_rules()[e.diagnosis.rule].cause;
  e.diagnosis.late = e.facts.late;
  e.diagnosis.before_issue = e.facts.before_issue;
  e.diagnosis.in_queue = e.facts.in_queue;
  return e;
}

GapFacts CauseIndex::facts(const Gap& gap) const {
  return examine(gap).facts;
}

GapDiagnosis CauseIndex::diagnose(const Gap& gap) const {
  return examine(gap).diagnosis;
}

std::vector<GapDiagnosis> CauseIndex::diagnose(std::span<const Gap> gaps) const {
  std::vector<GapDiagnosis> result;
  result.reserve(gaps.size());
  for (const Gap& gap : gaps) result.push_back(diagnose(gap));
  return result;
}

}  // namespace lacuna
