// Who made others wait, and why: find_stragglers() of ranks and delays that are written down here.

#include "model/job/job_stragglers.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

constexpr Nanos kStragglerMs = 1'000'000;

/// Three ranks with steps of 10 ms, numbered from 7, that start 100 ms apart; rank 2 comes late in each.
struct MadeStragglers {
  Job job;
  std::size_t step_count;

  explicit MadeStragglers(std::size_t steps = 1, Nanos delay = kStragglerMs) : step_count(steps) {
    for (std::size_t s = 0; s < steps; ++s) job.steps.emplace_back(static_cast<std::int64_t>(7 + s));
    job.cells.resize(3 * steps);
    for (std::int64_t r = 0; r < 3; ++r) {
      JobRank& rank = job.ranks.emplace_back();
      rank.rank = r;
      rank.epoch = 5;
      for (std::size_t s = 0; s < steps; ++s) {
        RankStep& step = rank.steps.emplace_back();
        step.number = job.steps[s];
        step.start = static_cast<Nanos>(100 * s) * kStragglerMs;
        step.end = step.start + 10 * kStragglerMs;
        job.cell(static_cast<std::size_t>(r), s).length = 10 * kStragglerMs;
      }
    }
    for (std::size_t s = 0; s < steps; ++s) {
      job.cell(2, s).delay = delay;
      job.cell(2, s).lost = 2 * delay;
    }
  }
  RankStep& step(std::size_t rank, std::size_t s = 0) { return job.ranks[rank].steps[s]; }
  std::uint32_t text(std::size_t rank, std::string text) {
    job.ranks[rank].texts.push_back(std::move(text));
    return static_cast<std::uint32_t>(job.ranks[rank].texts.size() - 1);
  }
  IdleUse& idle(std::size_t rank, GapCause cause, Nanos total, std::size_t s = 0) {
    IdleUse& use = step(rank, s).idle[static_cast<std::size_t>(cause)];
    use.total = total;
    return use;
  }
  void kernel(std::size_t rank, const char* name, std::int64_t count, Nanos each, std::int32_t s = 0) {
    KernelUse& use = job.ranks[rank].kernels.emplace_back();
    use.name = text(rank, name);
    use.step = s;
    use.count = count;
    use.total = count * each;
    use.longest = each + 1;
    use.longest_start = 905;
  }
  const std::vector<Straggler>& find() {
    find_stragglers(job);
    return job.stragglers;
  }
  /// The only one.
  const Straggler& one() {
    REQUIRE(find().size() == 1);
    CHECK(job.stragglers[0].rank == 2);
    return job.stragglers[0];
  }
};

}  // namespace

TEST_CASE("stragglers: a delay counts from 3 % of the step and 50 us on") {
  CHECK(MadeStragglers(1, 300'000).find().size() == 1);
  CHECK(MadeStragglers(1, 299'999).find().empty());
  const auto in_steps_of = [](Nanos length, Nanos delay) {
    MadeStragglers made(1, delay);
    for (std::size_t r = 0; r < 3; ++r) made.job.cell(r, 0).length = length;
    return made.find().size();
  };
  CHECK(in_steps_of(1'000'000, 50'000) == 1);
  CHECK(in_steps_of(1'000'000, 49'999) == 0);
  // By the middle one of those that have the step.
  MadeStragglers made(1, 400'000);
  made.job.cell(0, 0).length = 0;
  made.job.cell(1, 0).length = 14 * kStragglerMs;
  CHECK(made.find().size() == 1);
  made.job.cell(2, 0).length = 14 * kStragglerMs;
  CHECK(made.find().empty());
}

TEST_CASE("stragglers: unexplained where nothing differs, and the step itself is shown") {
  MadeStragglers made;
  const Straggler& s = made.one();
  CHECK(s.cause == LateCause::kUnexplained);
  CHECK(s.sentence ==
        "unexplained: rank 2 was 1.00 ms late, but its kernels and idle gaps are like those of the others");
  REQUIRE(s.evidence.size() == 1);
  CHECK(s.evidence[0].what == "the step");
  CHECK(s.evidence[0].rank == 2);
  CHECK(s.evidence[0].step == 7);
  CHECK(s.evidence[0].start == -5);  // in the times of its file
  CHECK(s.evidence[0].duration == 10 * kStragglerMs);
  CHECK(s.lost == 2 * kStragglerMs);
  CHECK(s.delay == kStragglerMs);
}

TEST_CASE("stragglers: a cause explains a fifth of the delay or more") {
  for (const auto& [preempted, is_cause] : {std::pair{200'000, true}, {199'999, false}}) {
    MadeStragglers made;
    made.step(2).preempted = preempted;
    CHECK((made.one().cause == LateCause::kPreempted) == is_cause);
  }
}

TEST_CASE("stragglers: kernels that take longer, by the middle of all ranks") {
  MadeStragglers made;
  for (std::size_t r = 0; r < 3; ++r) {
    made.kernel(r, "gemm", 10, r == 2 ? 300'000 : 200'000);
    made.kernel(r, "add", 10, r == 2 ? 15'000 : 10'000);
  }
  const Straggler& s = made.one();
  CHECK(s.cause == LateCause::kSlowerKernels);
  CHECK(s.sentence ==
        "slower kernels: the GPU of rank 2 took 1.50 times as long as the others' for the same kernels and shapes "
        "(1.05 ms more a step), most in gemm");
  REQUIRE(s.evidence.size() == 2);
  CHECK(s.evidence[0].what == "gemm: 10 x 300.0 \u00b5s, 1.50 times the others' duration");
  CHECK(s.evidence[0].start == 900);
  CHECK(s.evidence[0].duration == 300'001);
  CHECK(s.evidence[1].what == "add: 10 x 15.0 \u00b5s, 1.50 times the others' duration");
}

TEST_CASE("stragglers: of several steps the mean one is told") {
  MadeStragglers made(3);
  for (int s = 0; s < 3; ++s)
    for (std::size_t r = 0; r < 3; ++r) made.kernel(r, "gemm", 10, r == 2 ? 400'000 + s * 100'000 : 200'000, s);
  CHECK(made.one().sentence ==
        "slower kernels: the GPU of rank 2 took 2.50 times as long as the others' for the same kernels and shapes "
        "(3.00 ms more a step), most in gemm");
}

TEST_CASE("stragglers: faster kernels make up for slower ones; those of other steps do not count") {
  MadeStragglers made(2);
  made.job.cell(2, 1) = {};
  for (std::size_t r = 0; r < 3; ++r) {
    made.kernel(r, "gemm", 10, r == 2 ? 300'000 : 200'000);
    made.kernel(r, "add", 10, r == 2 ? 100'000 : 200'000);
    made.kernel(r, "late", 10, r == 2 ? 900'000 : 200'000, 1);
  }
  CHECK(made.one().cause == LateCause::kUnexplained);
}

TEST_CASE("stragglers: of many kernels the three that cost the most are shown, with their shapes") {
  MadeStragglers made;
  for (std::size_t r = 0; r < 3; ++r)
    for (int k = 1; k <= 4; ++k) {
      made.kernel(r, ("gemm_" + std::to_string(k)).c_str(), 1, r == 2 ? 100'000 * (k + 1) : 100'000);
      made.job.ranks[r].kernels.back().shape = made.text(r, "4x1x1 64x1x1");
    }
  const Straggler& s = made.one();
  REQUIRE(s.evidence.size() == 3);
  CHECK(s.evidence[0].what == "gemm_4 4x1x1 64x1x1: 1 x 500.0 \u00b5s, 5.00 times the others' duration");
  CHECK(s.evidence[2].what == "gemm_2 4x1x1 64x1x1: 1 x 300.0 \u00b5s, 3.00 times the others' duration");
}

TEST_CASE("stragglers: more launches of the same kernels are more work, also of those that the others lack") {
  MadeStragglers made;
  for (std::size_t r = 0; r < 3; ++r) made.kernel(r, "gemm", r == 2 ? 15 : 10, 200'000);
  const Straggler& s = made.one();
  CHECK(s.cause == LateCause::kMoreWork);
  CHECK(s.sentence == "more work: rank 2 spent 1.00 ms more in kernels than the others, most in gemm");
  REQUIRE(s.evidence.size() == 1);
  CHECK(s.evidence[0].what == "gemm: 15 x 200.0 \u00b5s, 1.50 times the others' launches");
  MadeStragglers alone;
  alone.kernel(2, "extra", 4, 200'000);
  CHECK(alone.one().cause == LateCause::kMoreWork);
  CHECK(alone.one().evidence[0].what == "extra: 4 x 200.0 \u00b5s, 0.00 times the others' launches");
  // Where two of three have it, they are the usual.
  MadeStragglers two;
  two.kernel(1, "extra", 4, 200'000);
  two.kernel(2, "extra", 4, 200'000);
  CHECK(two.one().cause == LateCause::kUnexplained);
  // Fewer launches are none.
  MadeStragglers fewer;
  for (std::size_t r = 0; r < 3; ++r) fewer.kernel(r, "gemm", r == 2 ? 5 : 10, 200'000);
  CHECK(fewer.one().cause == LateCause::kUnexplained);
}

TEST_CASE("stragglers: slower kernels at a lower clock are so because of it, from 3 % on") {
  const auto straggler = [](double clock, double lowest, const char* reason, Nanos fell_at) {
    MadeStragglers made(2);
    made.job.cell(2, 0) = {};
    for (std::size_t r = 0; r < 3; ++r) {
      made.kernel(r, "gemm", 10, r == 2 ? 300'000 : 200'000, 1);
      made.step(r, 1).clock_mhz = r == 2 ? clock : 2000;
    }
    made.step(2, 1).lowest_clock_mhz = lowest;
    made.step(2, 1).lowest_clock_start = fell_at;
    made.step(2, 1).clock_reason = reason[0] == '\0' ? 0 : made.text(2, reason);
    return made.one();
  };
  CHECK(straggler(1940, 0, "", 0).cause == LateCause::kSlowerKernels);
  const Straggler lower = straggler(1939, 0, "", 0);
  CHECK(lower.cause == LateCause::kLowerClock);
  CHECK(lower.sentence ==
        "lower clock: the GPU of rank 2 ran at 1939 MHz, the others' at 2000, and took 1.50 times as long for the same "
        "kernels");
  CHECK(straggler(0, 0, "", 0).cause == LateCause::kSlowerKernels);  // not known
  const Straggler fell = straggler(1500, 1094.6, "power cap", 110 * kStragglerMs);
  CHECK(fell.sentence.starts_with(
      "lower clock: rank 2's clock fell to 1,095 MHz 110.0 ms after its first step began: power cap; the GPU"));
  CHECK(fell.evidence[0].what == "the clock at 1095 MHz: power cap");
  CHECK(fell.evidence[0].start == 110 * kStragglerMs - 5);
  CHECK(straggler(1500, 999.4, "", 2'500 * kStragglerMs)
            .sentence.starts_with("lower clock: rank 2's clock fell to 999 MHz 2.5 s after its first step began, for "
                                  "which the driver named no reason; "));
  CHECK(straggler(1500, 999, "", 1'000 * kStragglerMs).sentence.find("999 MHz 1.0 s after") != std::string::npos);
}

TEST_CASE("stragglers: idle time beyond that of the others, by its cause") {
  struct Case {
    GapCause gap;
    LateCause cause;
    const char* sentence;
  };
  for (const Case& one :
       {Case{GapCause::kDataLoading, LateCause::kDataLoading,
             "data loading: the GPU of rank 2 idled 12.0 ms while the CPU waited for its next batch in next; the "
             "others' idled 2.00 ms"},
        Case{GapCause::kLaunchBound, LateCause::kLaunchBound,
             "launch-bound: the CPU of rank 2 issued work so late that its GPU idled 12.0 ms in the step, most in "
             "next; the others' idled 2.00 ms"},
        Case{GapCause::kSynchronisation, LateCause::kIdleGap,
             "idle gap: the GPU of rank 2 idled 10.0 ms more than the others' (synchronisation), most in next"}}) {
    MadeStragglers made;
    made.idle(0, one.gap, 1'000'000);
    made.idle(1, one.gap, 2'000'000);
    IdleUse& use = made.idle(2, one.gap, 12'000'000);
    use.longest = 700;
    use.longest_start = 905;
    use.what = made.text(2, "next");
    const Straggler& s = made.one();
    CHECK(s.cause == one.cause);
    CHECK(s.sentence == one.sentence);
    REQUIRE(s.evidence.size() == 1);
    CHECK(s.evidence[0].what == "the longest gap (" + std::string(cause_name(one.gap)) + "): next");
    CHECK(s.evidence[0].start == 900);
    CHECK(s.evidence[0].duration == 700);
  }
  // As much as the middle one of the others is usual.
  MadeStragglers usual;
  usual.idle(1, GapCause::kDataLoading, 2'000'000);
  usual.idle(2, GapCause::kDataLoading, 2'000'000);
  CHECK(usual.one().cause == LateCause::kUnexplained);
}

TEST_CASE("stragglers: what explains the most is the cause") {
  MadeStragglers made;
  for (std::size_t r = 0; r < 3; ++r) made.kernel(r, "gemm", 10, r == 2 ? 250'000 : 200'000);
  made.idle(2, GapCause::kSynchronisation, 500'000);
  CHECK(made.one().cause == LateCause::kSlowerKernels);  // the first of equals
  made.idle(2, GapCause::kSynchronisation, 500'001);
  CHECK(made.one().cause == LateCause::kIdleGap);
}

TEST_CASE("stragglers: a thread that did not run, or waited, is the reason for idle time that the CPU caused") {
  const auto cause = [](GapCause gap, Nanos idle, Nanos preempted, Nanos waited) {
    MadeStragglers made;
    made.idle(2, gap, idle);
    made.step(2).preempted = preempted;
    made.step(2).waited = waited;
    made.step(2).waited_in = made.text(2, "time.sleep");
    return made.one().cause;
  };
  CHECK(cause(GapCause::kLaunchBound, 1'000'000, 500'000, 0) == LateCause::kPreempted);
  CHECK(cause(GapCause::kLaunchBound, 1'000'000, 499'999, 0) == LateCause::kLaunchBound);
  CHECK(cause(GapCause::kSynchronisation, 1'000'000, 500'000, 0) == LateCause::kPreempted);
  CHECK(cause(GapCause::kDependency, 1'000'000, 500'000, 0) == LateCause::kIdleGap);  // not the CPU's
  CHECK(cause(GapCause::kDependency, 1'000'000, 1'000'001, 0) == LateCause::kPreempted);
  CHECK(cause(GapCause::kLaunchBound, 1'000'000, 0, 500'000) == LateCause::kWaited);
  CHECK(cause(GapCause::kLaunchBound, 1'000'000, 0, 499'999) == LateCause::kLaunchBound);
  // A loader's wait for its data is told as that.
  CHECK(cause(GapCause::kDataLoading, 1'000'000, 0, 2'000'000) == LateCause::kDataLoading);
  CHECK(cause(GapCause::kDataLoading, 1'000'000, 0, 2'000'002) == LateCause::kWaited);
  CHECK(cause(GapCause::kDataLoading, 1'000'000, 500'000, 0) == LateCause::kPreempted);
  CHECK(cause(GapCause::kDependency, 0, 300'000, 300'000) == LateCause::kPreempted);
  CHECK(cause(GapCause::kDependency, 0, 300'000, 300'001) == LateCause::kWaited);
}

TEST_CASE("stragglers: words of threads that did not run or waited, beside what the others did") {
  MadeStragglers made;
  made.step(1).preempted = 100'000;
  made.step(2).preempted = 600'000;
  made.step(2).longest_preempted = 80;
  made.step(2).longest_preempted_start = 905;
  made.step(0).preempted = 200'000;
  CHECK(made.one().sentence ==
        "preempted thread: the thread that issues the work of rank 2 could have run, but did not for 600.0 \u00b5s of "
        "the step; the others' for 200.0 \u00b5s");
  CHECK(made.one().evidence[0].what == "the longest stretch in which the thread could have run");
  CHECK(made.one().evidence[0].start == 900);
  CHECK(made.one().evidence[0].duration == 80);
  MadeStragglers waits;
  waits.step(2).waited = 9'994'000;
  waits.step(2).longest_waited = 70;
  waits.step(2).longest_waited_start = 805;
  CHECK(waits.one().sentence ==
        "waiting: rank 2 slept or waited for files, the network or a process for 9.99 ms of the step; the others for "
        "0.0 \u00b5s");
  waits.step(2).waited_in = waits.text(2, "time.sleep");
  CHECK(waits.one().sentence.find("of the step, most in time.sleep; the others") != std::string::npos);
  CHECK(waits.one().evidence[0].what == "the longest wait");
  CHECK(waits.one().evidence[0].start == 800);
  CHECK(waits.one().evidence[0].duration == 70);
}

TEST_CASE("stragglers: one for each rank and cause, most lost first, with the mean of its steps in words") {
  MadeStragglers made(4);
  for (std::size_t s = 0; s < 4; ++s) made.step(2, s).preempted = s == 3 ? 0 : static_cast<Nanos>(300'000 + 100 * s);
  made.job.cell(1, 0).delay = 2 * kStragglerMs;
  made.job.cell(1, 0).lost = 7 * kStragglerMs;
  const std::vector<Straggler>& all = made.find();
  REQUIRE(all.size() == 3);
  CHECK(all[0].rank == 1);
  CHECK(all[0].cause == LateCause::kUnexplained);
  CHECK(all[1].cause == LateCause::kPreempted);
  CHECK(all[1].steps == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(all[1].lost == 6 * kStragglerMs);
  CHECK(all[1].delay == 3 * kStragglerMs);
  CHECK(all[1].evidence.size() == 3);
  CHECK(all[1].sentence.find("did not for 300.1 \u00b5s of a step") != std::string::npos);
  CHECK(all[2].steps == std::vector<std::uint32_t>{3});
  // At most eight places.
  MadeStragglers many(12);
  CHECK(many.one().evidence.size() == 8);
  CHECK(many.one().steps.size() == 12);
}

TEST_CASE("stragglers: a rank is compared in the steps that it has") {
  MadeStragglers made(2);
  made.job.ranks[2].steps.erase(made.job.ranks[2].steps.begin());
  made.step(2, 0).preempted = 400'000;
  const Straggler& s = made.one();
  CHECK(s.steps == std::vector<std::uint32_t>{1});
  CHECK(s.cause == LateCause::kPreempted);
}

TEST_CASE("stragglers: few steps are listed, many counted") {
  MadeStragglers made(100);
  Straggler s;
  const auto text = [&](std::vector<std::uint32_t> steps) {
    s.steps = std::move(steps);
    return straggler_steps(made.job, s);
  };
  CHECK(text({0}) == "step 7");
  CHECK(text({0, 3}) == "steps 7, 10");
  CHECK(text({0, 1, 2, 3, 4, 5, 6, 7}) == "steps 7, 8, 9, 10, 11, 12, 13, 14");
  CHECK(text({0, 1, 2, 3, 4, 5, 6, 7, 99}) == "9 of 100 steps, from 7 to 106");
  made.job.steps[0] = std::nullopt;
  CHECK(text({0}) == "whole trace");
  CHECK(text({0, 1}) == "steps -, 8");
}

TEST_CASE("stragglers: the rank that waited longest in one collective for the one that came last") {
  Job job;
  job.steps = {1, 2};
  const auto meet = [&](std::int64_t step, std::uint32_t last, std::vector<std::pair<std::uint32_t, Nanos>> waits) {
    JobCollective& c = job.collectives.emplace_back();
    c.step = step;
    c.first = static_cast<std::uint32_t>(job.parts.size());
    c.count = static_cast<std::uint32_t>(waits.size());
    c.last = last;
    for (const auto& [rank, wait] : waits) {
      JobPart& part = job.parts.emplace_back();
      part.rank = rank;
      part.wait = wait;
    }
  };
  meet(1, 0, {{0, 0}, {1, 50}, {2, 70}});
  meet(1, 0, {{0, 0}, {1, 70}, {3, 20}});
  meet(1, 1, {{0, 900}, {1, 0}});
  meet(2, 1, {{2, 900}, {0, 0}});
  CHECK(longest_waiting(job, 0, 0) == 2u);  // the first of equals
  CHECK(longest_waiting(job, 1, 0) == 0u);
  CHECK(longest_waiting(job, 0, 1) == 2u);
  CHECK_FALSE(longest_waiting(job, 3, 0));
  CHECK_FALSE(longest_waiting(job, 1, 1));
}
