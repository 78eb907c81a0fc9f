#include "model/causes/gap_rules.h"

#include <string>
#include <utility>

#include "tests/causes/causes_support.h"

using namespace lacuna;

namespace {

/// A launch that came `late` after the gap began, and `in_queue` before it ended.
GapFacts late_launch(Nanos late, Nanos in_queue = 5 * kUs) {
  GapFacts f;
  f.gap = late + in_queue;
  f.has_launch = true;
  f.late = true;
  f.before_issue = late;
  f.in_queue = in_queue;
  f.judged = late;
  return f;
}

/// Issued before the gap began.
GapFacts queued(Nanos gap) {
  GapFacts f;
  f.gap = gap;
  f.has_launch = true;
  f.in_queue = gap;
  f.judged = gap;
  return f;
}

GapCause cause_of(const GapFacts& f) {
  return gap_rules()[first_rule(f)].cause;
}

std::string sentence_of(const GapFacts& f) {
  return std::string(gap_rules()[first_rule(f)].sentence);
}

}  // namespace

TEST_CASE("launch-bound: issued late, and nothing else stands out") {
  CHECK(cause_of(late_launch(1)) == GapCause::kLaunchBound);
  CHECK(cause_of(late_launch(10 * kMs)) == GapCause::kLaunchBound);
  // Launch latency after a late launch belongs to it, even if it is the longer part.
  CHECK(cause_of(late_launch(1 * kUs, kLaunchLatencyNs)) == GapCause::kLaunchBound);
  CHECK(cause_of(late_launch(1 * kUs, kLaunchLatencyNs + 1)) == GapCause::kUnknown);
  // In time is not late, however little it waited.
  GapFacts in_time = queued(1 * kMs);
  in_time.in_queue = 0;
  CHECK(cause_of(in_time) == GapCause::kUnknown);
  // A call that was open when the gap began is late as well: it loaded code, for instance.
  GapFacts slow_call = queued(1 * kMs);
  slow_call.before_issue = slow_call.judged = 990 * kUs;
  slow_call.in_queue = 10 * kUs;
  CHECK(cause_of(slow_call) == GapCause::kLaunchBound);
}

TEST_CASE("an activity that starts before its launch tells nothing, unless the gap is far longer than that") {
  GapFacts f = late_launch(10 * kMs);
  f.before_launch = (f.gap + 1) / 2;
  CHECK(cause_of(f) == GapCause::kUnknown);
  CHECK(sentence_of(f).find("clocks of CPU and GPU do not agree") != std::string::npos);
  f.before_launch = f.gap / 2 - 1;
  CHECK(cause_of(f) == GapCause::kLaunchBound);
}

TEST_CASE("dependency: the file names the event that was waited for, for half of the gap") {
  GapFacts f = queued(20 * kUs);  // so short a gap would be spacing otherwise
  CHECK(cause_of(f) == GapCause::kKernelSpacing);
  f.event_wait = 10 * kUs;
  CHECK(cause_of(f) == GapCause::kDependency);
  f.event_wait = 10 * kUs - 1;
  CHECK(cause_of(f) == GapCause::kKernelSpacing);
  f.event_wait = 15 * kUs;
  f.event_of_communication = true;
  CHECK(cause_of(f) == GapCause::kCommunication);
  // Issued late for most of the gap: the CPU is the reason.
  GapFacts late = late_launch(100 * kUs, 20 * kUs);
  late.event_wait = 20 * kUs;
  CHECK(cause_of(late) == GapCause::kLaunchBound);
}

TEST_CASE("synchronisation: half of the delay would not have been without it") {
  GapFacts f = late_launch(100 * kUs);
  f.sync_saves = 50 * kUs;
  CHECK(cause_of(f) == GapCause::kSynchronisation);
  f.sync_saves = 50 * kUs - 1;
  CHECK(cause_of(f) == GapCause::kLaunchBound);
}

TEST_CASE("communication: the CPU waited for the GPU, which waited for others") {
  GapFacts f = late_launch(100 * kUs);
  f.sync_saves = 100 * kUs;
  f.sync_on_communication = 60 * kUs;
  CHECK(cause_of(f) == GapCause::kCommunication);
  f.sync_on_communication = 40 * kUs;
  CHECK(cause_of(f) == GapCause::kSynchronisation);
  f.sync_saves = 0;
  f.host_communication = 50 * kUs;
  CHECK(cause_of(f) == GapCause::kCommunication);
}

TEST_CASE("data loading comes before the synchronisations inside it") {
  GapFacts f = late_launch(100 * kUs);
  f.data_loading = 50 * kUs;
  f.sync_saves = 100 * kUs;
  CHECK(cause_of(f) == GapCause::kDataLoading);
  f.data_loading = 49 * kUs;
  CHECK(cause_of(f) == GapCause::kSynchronisation);
}

TEST_CASE("dependency and communication: issued, then released by another stream") {
  GapFacts f = queued(1 * kMs);
  f.has_release = true;
  f.release_delay = kReleaseDelayNs;
  CHECK(cause_of(f) == GapCause::kDependency);
  f.released_by_communication = true;
  CHECK(cause_of(f) == GapCause::kCommunication);
  // Long waits may end a little later: a tenth of the wait.
  f.release_delay = 100 * kUs;
  CHECK(cause_of(f) == GapCause::kCommunication);
  f.release_delay = 100 * kUs + 1;
  CHECK(cause_of(f) == GapCause::kUnknown);
  // Where the CPU took the longer part of the gap, it is the reason.
  f = late_launch(600 * kUs, 400 * kUs);
  f.has_release = true;
  CHECK(cause_of(f) == GapCause::kLaunchBound);
  f = late_launch(400 * kUs, 600 * kUs);
  f.has_release = true;
  CHECK(cause_of(f) == GapCause::kDependency);
}

TEST_CASE("dependency: no room on the GPU beside another stream's kernel") {
  GapFacts f = queued(500 * kUs);
  f.was_crowded_out = true;
  CHECK(cause_of(f) == GapCause::kDependency);
  CHECK(sentence_of(f).find("no room") != std::string::npos);
}

TEST_CASE("kernel spacing: short, and issued in time or not known to be late") {
  CHECK(cause_of(queued(kKernelSpacingNs - 1)) == GapCause::kKernelSpacing);
  CHECK(cause_of(queued(kKernelSpacingNs)) != GapCause::kKernelSpacing);
  GapFacts unlinked = queued(2 * kUs);
  unlinked.has_launch = false;
  CHECK(cause_of(unlinked) == GapCause::kKernelSpacing);
  CHECK(sentence_of(unlinked).find("not in the file") != std::string::npos);
  CHECK(cause_of(late_launch(1 * kUs, 1 * kUs)) == GapCause::kLaunchBound);
}

TEST_CASE("profiler overhead: half of the time that is judged") {
  GapFacts f = late_launch(100 * kUs);
  f.judged_in_profiler = 50 * kUs;
  f.data_loading = 100 * kUs;
  CHECK(cause_of(f) == GapCause::kProfilerOverhead);
  f.judged_in_profiler = 49 * kUs;
  CHECK(cause_of(f) == GapCause::kDataLoading);
  GapFacts short_gap = queued(2 * kUs);  // that it fell into a flush explains nothing
  short_gap.judged_in_profiler = 2 * kUs;
  CHECK(cause_of(short_gap) == GapCause::kKernelSpacing);
}

TEST_CASE("outside any step comes first, and only where there are steps") {
  GapFacts f = late_launch(100 * kUs);
  f.judged_in_profiler = 100 * kUs;
  f.has_steps = true;
  f.judged_in_steps = 49 * kUs;
  CHECK(cause_of(f) == GapCause::kOutsideSteps);
  f.judged_in_steps = 50 * kUs;
  CHECK(cause_of(f) == GapCause::kProfilerOverhead);
  f.has_steps = false;
  f.judged_in_steps = 0;
  CHECK(cause_of(f) == GapCause::kProfilerOverhead);
}

TEST_CASE("unknown says what is missing") {
  GapFacts f = queued(1 * kMs);
  CHECK(cause_of(f) == GapCause::kUnknown);
  CHECK(sentence_of(f).find("nothing recorded") != std::string::npos);
  f.inside_graph = true;
  CHECK(sentence_of(f).find("inside one {launch}") == 0);
  CHECK(cause_of(f) == GapCause::kInsideGraph);
}

TEST_CASE("not recorded: the file shows that it lacks what would tell") {
  GapFacts f = queued(1 * kMs);
  f.has_launch = false;
  CHECK(cause_of(f) == GapCause::kNotRecorded);
  CHECK(sentence_of(f).find("its launch was left out") != std::string::npos);
  f.lacks_cpu = true;
  CHECK(sentence_of(f).find("the file has no launches") == 0);
  f.gap = f.in_queue = 10'000;  // as short as it is, nothing tells whether it was queued
  CHECK(cause_of(f) == GapCause::kNotRecorded);
  f.lacks_cpu = false;
  CHECK(cause_of(f) == GapCause::kKernelSpacing);
  f = queued(1 * kMs);
  f.lacks_work = true;
  CHECK(cause_of(f) == GapCause::kNotRecorded);
  f = queued(1 * kMs);
  f.is_first_on_stream = true;
  CHECK(cause_of(f) == GapCause::kNotRecorded);
  // What ended just before the gap did is what it waited for.
  f.has_release = true;
  CHECK(cause_of(f) == GapCause::kDependency);
  f.has_release = false;
  f.behind_host_callback = true;
  CHECK(cause_of(f) == GapCause::kHostCallback);
}

TEST_CASE("what the CPU did for half of the delay, and not less, is the cause") {
  const std::pair<Nanos GapFacts::*, GapCause> kRows[] = {{&GapFacts::copying, GapCause::kBlockingCopy},
                                                          {&GapFacts::allocating, GapCause::kAllocation},
                                                          {&GapFacts::full_queue, GapCause::kFullQueue},
                                                          {&GapFacts::first_use, GapCause::kFirstUse},
                                                          {&GapFacts::not_scheduled, GapCause::kNotScheduled}};
  for (const auto& row : kRows) {
    const auto fact = row.first;
    const GapCause cause = row.second;
    CAPTURE(cause_name(cause));
    GapFacts f = late_launch(100 * kUs);
    f.*fact = 50 * kUs;
    CHECK(cause_of(f) == cause);
    f.*fact = 50 * kUs - 1;
    CHECK(cause_of(f) == GapCause::kLaunchBound);
    // A wait for the GPU comes first: the call had to wait whatever it was.
    f.*fact = 100 * kUs;
    f.sync_saves = 50 * kUs;
    CHECK(cause_of(f) == GapCause::kSynchronisation);
  }
}

TEST_CASE("blocking copy: half of the delay would not have been had copy calls returned at once") {
  GapFacts f = late_launch(100 * kUs);
  f.copy_saves = 50 * kUs;
  f.sync_saves = 100 * kUs;  // the same call, waiting for its own copy
  CHECK(cause_of(f) == GapCause::kBlockingCopy);
  f.copy_saves = 50 * kUs - 1;
  CHECK(cause_of(f) == GapCause::kSynchronisation);
}

TEST_CASE("late rank: what held it up was a collective that for half of the gap or more waited for a rank") {
  const auto at_half = [](GapFacts f) {
    const GapCause without = cause_of(f);
    f.waiting_for_ranks = f.gap / 2;
    CHECK(cause_of(f) == GapCause::kLateRank);
    f.waiting_for_ranks = f.gap / 2 - 1;
    CHECK(cause_of(f) == without);
  };
  GapFacts released = queued(1 * kMs);
  released.has_release = released.released_by_communication = true;
  at_half(released);
  GapFacts event = queued(1 * kMs);
  event.event_wait = 500 * kUs;
  event.event_of_communication = true;
  at_half(event);
  GapFacts late = late_launch(100 * kUs, 0);
  late.sync_saves = 100 * kUs;
  late.sync_on_communication = 50 * kUs;
  at_half(late);
  // Another stream's work was what it waited for, and the CPU for other work: the collective beside it is no reason.
  released.released_by_communication = false;
  released.waiting_for_ranks = released.gap;
  CHECK(cause_of(released) == GapCause::kDependency);
  late.sync_on_communication = 49 * kUs;
  late.waiting_for_ranks = late.gap;
  CHECK(cause_of(late) == GapCause::kSynchronisation);
}

TEST_CASE("profiler overhead: it held the activity back in its queue for half of the time since its launch") {
  GapFacts f = queued(2 * kMs);
  f.queued = 3 * kMs;
  f.queued_in_profiler = 1'500 * kUs;
  CHECK(cause_of(f) == GapCause::kProfilerOverhead);
  f.queued_in_profiler -= 1;
  CHECK(cause_of(f) == GapCause::kUnknown);
  // Another stream explains it better.
  f.queued_in_profiler = 3 * kMs;
  f.has_release = true;
  CHECK(cause_of(f) == GapCause::kDependency);
}

TEST_CASE("inside a graph: its first recorded node waited for long after the graph was launched") {
  GapFacts f = queued(2 * kMs);
  f.of_graph = true;
  CHECK(cause_of(f) == GapCause::kInsideGraph);
  f.in_queue = f.gap = kLaunchLatencyNs;
  CHECK(cause_of(f) != GapCause::kInsideGraph);
}

TEST_CASE("not recorded: the file lacks nodes of the graph, or of the one before") {
  GapFacts f = queued(2 * kMs);
  f.of_graph = f.lacks_nodes = true;
  CHECK(cause_of(f) == GapCause::kNotRecorded);
  f.lacks_nodes = false;
  CHECK(cause_of(f) == GapCause::kInsideGraph);
  f.after_lacking_nodes = true;
  CHECK(cause_of(f) == GapCause::kNotRecorded);
  // Where the CPU came late, that is why.
  f = late_launch(100 * kUs);
  f.after_lacking_nodes = true;
  CHECK(cause_of(f) == GapCause::kLaunchBound);
}

TEST_CASE("not recorded: the CPU stood in a copy that waited for work which is not in the file") {
  GapFacts f = late_launch(100 * kUs);
  f.copy_saves = 100 * kUs;
  CHECK(cause_of(f) == GapCause::kBlockingCopy);
  f.copying_after_unrecorded = 50 * kUs;
  CHECK(cause_of(f) == GapCause::kNotRecorded);
  f.copying_after_unrecorded -= 1;
  CHECK(cause_of(f) == GapCause::kBlockingCopy);
}

TEST_CASE("every cause has a name, a key, a definition and a rule") {
  for (const GapCause cause : all_gap_causes()) {
    CHECK_FALSE(cause_name(cause).empty());
    CHECK(cause_key(cause).find_first_of(" -") == std::string_view::npos);
    CHECK(cause_definition(cause).ends_with("."));
    CHECK(std::ranges::find(gap_rules(), cause, &GapRule::cause) != gap_rules().end());
  }
}

TEST_CASE("thresholds: just within and just beyond") {
  CHECK(cause_of(queued(kKernelSpacingNs - 1)) == GapCause::kKernelSpacing);
  CHECK(cause_of(queued(kKernelSpacingNs)) != GapCause::kKernelSpacing);
  GapFacts without = queued(kKernelSpacingNs - 1);
  without.has_launch = false;
  CHECK(cause_of(without) == GapCause::kKernelSpacing);
  without.gap = kKernelSpacingNs;
  CHECK(cause_of(without) != GapCause::kKernelSpacing);

  // A call that took as much of a short gap as the queue did; and a little more.
  GapFacts call = queued(20 * kUs);
  call.before_issue = call.in_queue = 10 * kUs;
  CHECK(cause_of(call) == GapCause::kKernelSpacing);
  ++call.before_issue;
  CHECK(cause_of(call) == GapCause::kLaunchBound);

  GapFacts released = queued(200 * kUs);
  released.has_release = true;
  released.in_queue = 100 * kUs;  // a tenth of it is less than the delay that counts anyway
  released.release_delay = kReleaseDelayNs;
  CHECK(release_is_close(released));
  ++released.release_delay;
  CHECK_FALSE(release_is_close(released));
  released.in_queue = 1 * kMs;
  released.release_delay = 100 * kUs;
  CHECK(release_is_close(released));
  ++released.release_delay;
  CHECK_FALSE(release_is_close(released));
  released.release_delay = 0;
  CHECK(release_is_close(released));
  released.has_release = false;
  CHECK_FALSE(release_is_close(released));

  // In the queue for as long as the CPU was late, and for longer.
  GapFacts both = late_launch(50 * kUs, 50 * kUs);
  both.has_release = true;
  CHECK(cause_of(both) == GapCause::kLaunchBound);
  ++both.in_queue;
  CHECK(cause_of(both) == GapCause::kDependency);

  CHECK(at_least_half(5, 10));
  CHECK_FALSE(at_least_half(4, 10));
  CHECK(at_least_half(6, 11));
  CHECK_FALSE(at_least_half(5, 11));
  CHECK_FALSE(at_least_half(0, 0));
  CHECK(at_least_half(1, 1));
  CHECK_FALSE(at_least_half(0, 1));
}
