#include "model/causes/gap_rules.h"

namespace lacuna {
namespace {

/// The activity stood in its stream's queue for longer than the CPU kept it waiting.
bool waited_in_queue(const GapFacts& f) {
  return f.in_queue > kLaunchLatencyNs && f.in_queue > f.before_issue;
}

bool was_released(const GapFacts& f) {
  return waited_in_queue(f) && release_is_close(f);
}

/// The CPU is the reason: the activity was not issued when the GPU was ready for it.
bool cpu_was_late(const GapFacts& f) {
  return f.before_issue > 0 && !waited_in_queue(f);
}

/// What held it up, if that was a collective, did so because a rank had not come.
bool waited_for_rank(const GapFacts& f) {
  return at_least_half(f.waiting_for_ranks, f.gap);
}

constexpr GapRule kRules[] = {
    // 1. What is not part of the measured work needs no other cause.
    {GapCause::kOutsideSteps,
     [](const GapFacts& f) { return f.has_steps && !at_least_half(f.judged_in_steps, f.judged); }, "outside any step"},

    // 2. – 4. The program made it wait for an event (cuda_sync args), and that took half the gap or
    // more: no guess is needed.
    {GapCause::kLateRank,
     [](const GapFacts& f) {
       return at_least_half(f.event_wait, f.gap) && f.event_of_communication && waited_for_rank(f);
     },
     "{after} was issued {issued} and had to wait for {event}{waited}, which waited {rank_wait} for {rank}"},
    {GapCause::kCommunication,
     [](const GapFacts& f) { return at_least_half(f.event_wait, f.gap) && f.event_of_communication; },
     "{after} was issued {issued} and had to wait for {event}{waited}"},
    {GapCause::kDependency, [](const GapFacts& f) { return at_least_half(f.event_wait, f.gap); },
     "{after} was issued {issued} and had to wait for {event}{waited}"},

    // 5. Queued work is never quite back to back. A launch call that began in time but took most of
    // the gap is no queue; so short a gap without a launch needs none to be judged, in a file that has others.
    {GapCause::kKernelSpacing,
     [](const GapFacts& f) {
       return f.has_launch && !f.late && f.gap < kKernelSpacingNs && f.before_issue <= f.in_queue;
     },
     "{after} was queued already; {gap} is within the usual spacing"},
    {GapCause::kKernelSpacing,
     [](const GapFacts& f) { return !f.has_launch && !f.lacks_cpu && f.gap < kKernelSpacingNs; },
     "{gap} is within the usual spacing of queued work; the launch of {after} is not in the file"},

    // Times that cannot be tell nothing: an error of the clocks that is as long as half the gap may have made it.
    {GapCause::kUnknown, [](const GapFacts& f) { return at_least_half(f.before_launch, f.gap); },
     "{after} starts before {launch} does, which cannot be: the clocks of CPU and GPU do not agree"},

    // 6. The profiler's own work, on whatever thread it is recorded.
    {GapCause::kProfilerOverhead, [](const GapFacts& f) { return at_least_half(f.judged_in_profiler, f.judged); },
     "the profiler was at work for {profiler}: {doing}"},

    // 7. – 10. Issued, then held back by another stream.
    {GapCause::kLateRank,
     [](const GapFacts& f) { return was_released(f) && f.released_by_communication && waited_for_rank(f); },
     "{after} was issued {issued} and waited {in_queue} for {waited}, which waited {rank_wait} for {rank}"},
    {GapCause::kCommunication, [](const GapFacts& f) { return was_released(f) && f.released_by_communication; },
     "{after} was issued {issued} and waited {in_queue} for {waited}"},
    {GapCause::kDependency, was_released, "{after} was issued {issued} and waited {in_queue} for {waited}"},
    {GapCause::kDependency, [](const GapFacts& f) { return waited_in_queue(f) && f.was_crowded_out; },
     "{after} was issued {issued} and found no room on the GPU for {in_queue}, beside {waited}"},
    {GapCause::kProfilerOverhead,
     [](const GapFacts& f) { return waited_in_queue(f) && at_least_half(f.queued_in_profiler, f.queued); },
     "{after} was issued {issued} and waited {in_queue} in its queue: the profiler was at work for {profiler} of the "
     "time "
     "since its launch"},

    // 11. – 15. Issued late, for a reason that stands out.
    {GapCause::kDataLoading,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.data_loading, f.before_issue); },
     "{launch} came {late} late: the CPU waited for data: {doing}{queue}"},
    {GapCause::kLateRank,
     [](const GapFacts& f) {
       return cpu_was_late(f) && at_least_half(f.sync_on_communication, f.before_issue) && waited_for_rank(f);
     },
     "{launch} came {late} late: the CPU waited for communication, which waited {rank_wait} for {rank}: "
     "{doing}{queue}"},
    {GapCause::kCommunication,
     [](const GapFacts& f) {
       return cpu_was_late(f) && (at_least_half(f.sync_on_communication, f.before_issue) ||
                                  at_least_half(f.host_communication, f.before_issue));
     },
     "{launch} came {late} late: the CPU waited for communication: {doing}{queue}"},
    {GapCause::kNotRecorded,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.copying_after_unrecorded, f.before_issue); },
     "{launch} came {late} late: {sync} waited for what ran on its stream before, which is not in the file{queue}"},
    {GapCause::kBlockingCopy,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.copy_saves, f.before_issue); },
     "{launch} came {late} late, {saves} of it because {sync} held the CPU up while nothing else ran on the "
     "GPU{queue}"},
    {GapCause::kSynchronisation,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.sync_saves, f.before_issue); },
     "{launch} came {late} late, {saves} of it because the CPU had waited for the GPU in "
     "{sync}{queue}"},

    // 16. – 20. Likewise; what the thread did for half of the time or more.
    {GapCause::kBlockingCopy,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.copying, f.before_issue); },
     "{launch} came {late} late: a copy call blocked the CPU: {doing}{queue}"},
    {GapCause::kAllocation,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.allocating, f.before_issue); },
     "{launch} came {late} late: memory was allocated or freed: {doing}{queue}"},
    {GapCause::kFullQueue,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.full_queue, f.before_issue); },
     "{launch} came {late} late: 1,024 launches were outstanding: {doing}{queue}"},
    {GapCause::kFirstUse,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.first_use, f.before_issue); },
     "{launch} came {late} late: code was loaded, compiled or tuned for its first use: {doing}{loading}{queue}"},
    {GapCause::kNotScheduled,
     [](const GapFacts& f) { return cpu_was_late(f) && at_least_half(f.not_scheduled, f.before_issue); },
     "{launch} came {late} late: its thread did not run: {doing}{queue}"},

    // 21. Issued late, and the CPU was simply busy.
    {GapCause::kLaunchBound, cpu_was_late, "{launch} came {late} late: {doing}{loading}{queue}"},

    // 22. – 29. Issued in time, and nothing on another stream that it could have waited for.
    {GapCause::kNotRecorded, [](const GapFacts& f) { return f.lacks_nodes && (f.inside_graph || waited_in_queue(f)); },
     "inside one {launch}, of which the file lacks {missing} that other replays of the graph have"},
    {GapCause::kNotRecorded,
     [](const GapFacts& f) { return f.after_lacking_nodes && !f.inside_graph && waited_in_queue(f); },
     "{after} was issued {issued}, behind a replay of a graph of which the file lacks {missing}"},
    {GapCause::kInsideGraph, [](const GapFacts& f) { return f.inside_graph; },
     "inside one {launch}: {after} waited for a node of the graph, or a node was not recorded"},
    {GapCause::kInsideGraph, [](const GapFacts& f) { return f.of_graph && waited_in_queue(f); },
     "{after} is the first recorded node of a {launch} that was issued {issued}: what of the graph comes before it "
     "waited, "
     "or was not recorded"},
    {GapCause::kHostCallback, [](const GapFacts& f) { return f.has_launch && f.behind_host_callback; },
     "{after} was issued {issued}, behind a function that its stream calls on the CPU"},
    {GapCause::kNotRecorded, [](const GapFacts& f) { return f.has_launch && f.lacks_work; },
     "{after} was issued {issued}, and the file lacks what was issued before it"},
    {GapCause::kNotRecorded, [](const GapFacts& f) { return f.has_launch && f.is_first_on_stream; },
     "{after} was issued {issued}; it is the first on its stream, and what ran there before the recording began is not "
     "in the file"},
    {GapCause::kNotRecorded, [](const GapFacts& f) { return !f.has_launch && f.lacks_cpu; },
     "the file has no launches, so nothing tells whether the CPU was late"},
    {GapCause::kNotRecorded, [](const GapFacts& f) { return !f.has_launch; },
     "{after} was launched before the recording began, or its launch was left out: what it waited for is not in the "
     "file"},

    // 30. Nothing fits.
    {GapCause::kUnknown, [](const GapFacts&) { return true; },
     "{after} was issued {issued}, and nothing recorded that it could have waited for"},
};

}  // namespace

bool at_least_half(Nanos part, Nanos whole) {
  return whole > 0 && part >= whole - part;
}

std::span<const GapRule> gap_rules() {
  return kRules;
}

bool release_is_close(const GapFacts& f) {
  return f.has_release && (f.release_delay <= kReleaseDelayNs || f.release_delay <= f.in_queue / kReleaseShare);
}

std::uint8_t first_rule(const GapFacts& facts) {
  std::uint8_t i = 0;
  while (!kRules[i].holds(facts)) ++i;
  return i;
}

}  // namespace lacuna
