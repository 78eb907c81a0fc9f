#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "model/job/job.h"
#include "model/job/job_stragglers.h"
#include "model/job/rank_extract.h"
#include "tests/job/job_maker.h"

using namespace lacuna;

namespace {

std::vector<std::int64_t> numbers(const Job& job, const Straggler& s) {
  std::vector<std::int64_t> steps;
  for (const std::uint32_t step : s.steps) steps.push_back(job.steps[step].value_or(-1));
  return steps;
}

void check_waits(const JobMaker& made, const Job& job, double tolerance_us) {
  REQUIRE(job.waited.size() == made.waited_us.size());
  for (std::size_t r = 0; r < job.waited.size(); ++r)
    CHECK(std::abs(static_cast<double>(job.waited[r]) / 1000 - made.waited_us[r]) <= tolerance_us);
}

}  // namespace

TEST_CASE("a transfer is as long as the shortest part, the others wait for the rank that came last") {
  JobMaker made;
  made.slow_gpu = 1;
  const Job job = analyse_job(made.reduce());
  REQUIRE(!job.collectives.empty());
  std::size_t waits = 0;
  for (const JobCollective& c : job.collectives) {
    const JobPart& last = job.last_of(c);
    CHECK(c.transfer == last.end - last.start);
    CHECK(last.wait == 0);
    Nanos second = kMinNanos;
    for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
      const JobPart& part = job.parts[p];
      CHECK(part.wait == last.start - part.start);
      CHECK(part.end - part.start >= c.transfer);
      waits += part.end - part.start > c.transfer;
      if (&part != &last) second = std::max(second, part.start);
    }
    CHECK(c.late == last.start - second);
  }
  CHECK(waits > 0);
}

TEST_CASE("waits, last ranks and lateness of a job are those that it was made with") {
  JobMaker made;
  made.slow_gpu = 1;
  const Job job = analyse_job(made.reduce());
  CHECK(job.ranks.size() == 4);
  CHECK(job.unmatched == 0);
  CHECK(job.collectives.size() == 3u * (4 * 2 + 1));
  CHECK(job.problems.empty());
  check_waits(made, job, 0.01);
  REQUIRE_FALSE(job.stragglers.empty());
  CHECK(std::ranges::any_of(job.stragglers[0].evidence, [](const JobPlace& place) {
    return place.what.find("2.00 times the others' duration") != std::string::npos;
  }));
  Nanos waited = 0, lost = 0;
  for (const JobCell& cell : job.cells) {
    waited += cell.waited;
    lost += cell.lost;
  }
  CHECK(lost <= waited);
  CHECK(lost > waited / 2);  // the kernels of the slow rank are what they waited for
  // The slow rank is last in its group of two, and its partner, which it held up, never is.
  std::size_t last = 0;
  for (const JobCollective& c : job.collectives)
    if (job.groups[c.group].ranks == std::vector<std::int64_t>{0, 1} && job.ranks[job.last_of(c).rank].rank == 1)
      ++last;
  CHECK(last == 12);
}

TEST_CASE("lateness that a rank inherited is charged to the rank that it had waited for") {
  JobMaker made;
  made.slow_gpu = 1;
  const Job job = analyse_job(made.reduce());
  REQUIRE(job.stragglers.size() == 1);
  const Straggler& s = job.stragglers[0];
  CHECK(job.ranks[s.rank].rank == 1);
  CHECK(s.cause == LateCause::kSlowerKernels);
  CHECK(numbers(job, s) == std::vector<std::int64_t>{10, 11, 12});
  CHECK(s.sentence.starts_with("slower kernels: "));
  CHECK(s.sentence.find("2.00 times") != std::string::npos);
  REQUIRE(!s.evidence.empty());
  CHECK(s.evidence[0].what.find("gemm 4x1x1 64x1x1") == 0);
  // Ranks 2 and 3 waited for both at the end of each step: all of it counts for rank 1.
  Nanos waited = 0;
  for (const Nanos w : job.waited) waited += w;
  CHECK(s.lost > waited * 95 / 100);
  // Beside it stands a rank that waited for it, in that step.
  for (const std::uint32_t step : s.steps) {
    const auto other = longest_waiting(job, s.rank, step);
    REQUIRE(other);
    CHECK(*other != s.rank);
    CHECK(job.cell(*other, step).waited > 0);
  }
}

TEST_CASE("a clock of the SMs is known by what recorders call it, and by nothing else") {
  JobMaker made;
  made.slow_gpu = 1;
  made.has_clocks = true;
  const auto lowest = [&](std::string_view name) {
    std::string json = made.make()[1];
    for (std::size_t at = 0; (at = json.find("SM clock", at)) != json.npos; at += name.size())
      json.replace(at, 8, name);
    Result<Trace> trace = import_json(json);
    REQUIRE(trace.has_value());
    const auto ranks = extract_ranks(*trace);
    REQUIRE(ranks.has_value());
    return ranks->front().steps.front().lowest_clock_mhz;
  };
  for (const char* name : {"SM clock", "gpu0_sm_clock", "clocks.sm", "Graphics clock", "GPU Graphics Clock"})
    CHECK(lowest(name) == 1095);
  for (const char* name : {"Memory clock", "clocks.mem", "SM"}) CHECK(lowest(name) <= 0);
}

TEST_CASE("a clock that fell is named with the driver's reason, and where it fell") {
  JobMaker made;
  made.slow_gpu = 1;
  made.has_clocks = true;
  const Job job = analyse_job(made.reduce());
  REQUIRE(job.stragglers.size() == 1);
  const Straggler& s = job.stragglers[0];
  CHECK(job.ranks[s.rank].rank == 1);
  CHECK(s.cause == LateCause::kLowerClock);
  INFO(s.sentence);
  CHECK(s.sentence.find("rank 1's clock fell to 1,095 MHz 300.0 \u00b5s after its first step began: power cap; ") !=
        std::string::npos);
  CHECK(s.sentence.find("the others' at 1980") != std::string::npos);
  REQUIRE(!s.evidence.empty());
  CHECK(s.evidence[0].what == "the clock at 1095 MHz: power cap");
  CHECK(s.evidence[0].start == 5'000'300'000);
}

TEST_CASE("causes are told apart") {
  JobMaker made;
  SUBCASE("data loading") {
    made.slow_data = 2;
    made.slow_data_step = 1;
    const Job job = analyse_job(made.reduce());
    REQUIRE(job.stragglers.size() == 1);
    CHECK(job.ranks[job.stragglers[0].rank].rank == 2);
    CHECK(job.stragglers[0].cause == LateCause::kDataLoading);
    CHECK(numbers(job, job.stragglers[0]) == std::vector<std::int64_t>{11});
  }
  SUBCASE("data loading before the first kernel of the trace") {
    made.slow_data = 2;
    made.slow_data_step = 0;
    const Job job = analyse_job(made.reduce());
    REQUIRE(job.stragglers.size() == 1);
    CHECK(job.stragglers[0].cause == LateCause::kDataLoading);
    CHECK(numbers(job, job.stragglers[0]) == std::vector<std::int64_t>{10});
  }
  SUBCASE("launches") {
    made.launch_bound = 3;
    made.launch_bound_step = 2;
    const Job job = analyse_job(made.reduce());
    REQUIRE(job.stragglers.size() == 1);
    CHECK(job.ranks[job.stragglers[0].rank].rank == 3);
    CHECK(job.stragglers[0].cause == LateCause::kLaunchBound);
    CHECK(numbers(job, job.stragglers[0]) == std::vector<std::int64_t>{12});
  }
  SUBCASE("more work") {
    made.more_work = 0;
    const Job job = analyse_job(made.reduce());
    REQUIRE(job.stragglers.size() == 1);
    CHECK(job.ranks[job.stragglers[0].rank].rank == 0);
    CHECK(job.stragglers[0].cause == LateCause::kMoreWork);
  }
  SUBCASE("nobody") {
    CHECK(analyse_job(made.reduce()).stragglers.empty());
  }
}

TEST_CASE("few steps of a straggler are listed, many counted") {
  Job job;
  Straggler s;
  for (std::uint32_t i = 0; i < 100; ++i) job.steps.emplace_back(500 + i);
  s.steps = {3};
  CHECK(straggler_steps(job, s) == "step 503");
  s.steps = {0, 1, 2, 3, 4, 5, 6, 99};
  CHECK(straggler_steps(job, s) == "steps 500, 501, 502, 503, 504, 505, 506, 599");
  s.steps.insert(s.steps.begin() + 7, 50);
  CHECK(straggler_steps(job, s) == "9 of 100 steps, from 500 to 599");
  job.steps = {std::nullopt};
  s.steps = {0};
  CHECK(straggler_steps(job, s) == "whole trace");
}

TEST_CASE("a straggler is one from 3 % of a step on") {
  // 4 layers of 565 us, 350 us around them: 3 % of a step is some 78 us.
  JobMaker made;
  Job job = analyse_job(made.reduce());
  job.stragglers.clear();
  for (const auto& [share, found] : {std::pair(0.029, 0u), std::pair(0.031, 1u)}) {
    for (JobCell& cell : job.cells) cell.delay = 0;
    JobCell& cell = job.cell(1, 1);
    cell.delay = static_cast<Nanos>(std::lround(share * static_cast<double>(job.cell(0, 1).length)));
    CHECK(cell.delay > kStragglerDelayNs);
    find_stragglers(job);
    CHECK(job.stragglers.size() == found);
  }
}

TEST_CASE("clocks are recovered from the ends of collectives") {
  JobMaker made;
  made.steps = 12;
  made.slow_gpu = 3;
  made.clock_us = {0, 0, -2500, 3000};
  made.drift_ppm = {0, 0, 20, -15};
  const Job job = analyse_job(made.reduce());
  for (std::size_t r = 0; r < 4; ++r) {
    CHECK(std::abs(job.clocks[r].offset_ns - made.clock_us[r] * 1000) < 100);
    CHECK(std::abs(job.clocks[r].drift_ppm - made.drift_ppm[r]) < 0.5);
  }
  CHECK(job.clocks[1].offset_ns == 0);  // exactly: it has rank 0's clock
  check_waits(made, job, 10);
}

TEST_CASE("collectives meet by sequence, by group or by stream") {
  JobMaker made;
  made.slow_gpu = 1;
  SUBCASE("sequence, windows that begin at different steps") {
    made.has_sequence = true;
    made.begin_at = {0, 1, 0, 2};
    const Job job = analyse_job(made.reduce());
    CHECK(job.ranks.size() == 4);
    for (const JobCollective& c : job.collectives)
      for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
        CHECK(job.part_of(job.parts[p]).sequence == job.part_of(job.parts[c.first]).sequence);
      }
  }
  SUBCASE("group and step, windows that begin at different steps") {
    made.begin_at = {0, 1, 0, 2};
    const Job job = analyse_job(made.reduce());
    CHECK(job.ranks.size() == 4);
    CHECK(job.clocks[3].residual_ns < 1000);
    std::size_t whole = 0;
    for (const JobCollective& c : job.collectives) whole += c.count == 4 ? 1 : 0;
    CHECK(whole == 1);  // the last one of the only step that all have
  }
  SUBCASE("stream: nothing names a group") {
    made.ranks = 2;
    made.has_group_arguments = false;
    const Job job = analyse_job(made.reduce());
    CHECK(job.unmatched == 0);
    CHECK(job.collectives.size() == 3u * 5);
    check_waits(made, job, 0.01);
  }
}

TEST_CASE("ranks that are not as the others are named, and the rest is analysed") {
  JobMaker made;
  made.ranks = 8;
  made.slow_gpu = 1;
  std::vector<JobRank> ranks = made.reduce();
  JobMaker other = made;
  const auto problem_of = [](const Job& job, std::int64_t rank) {
    for (const JobProblem& problem : job.problems)
      if (problem.rank == rank) return problem.kind;
    return JobProblem::Kind::kNote;
  };
  SUBCASE("missing") {
    ranks.erase(ranks.begin() + 6);
    const Job job = analyse_job(std::move(ranks));
    CHECK(job.missing == std::vector<std::int64_t>{6});
    CHECK(problem_of(job, 6) == JobProblem::Kind::kMissing);
    CHECK(job.ranks.size() == 7);
    CHECK(job.stragglers.size() == 1);
    CHECK(job.unmatched == 12);  // what rank 7 did with it alone
  }
  SUBCASE("missing, of which it is known why") {
    ranks.erase(ranks.begin() + 5, ranks.begin() + 7);
    const Job job = analyse_job(std::move(ranks), {{JobProblem::Kind::kUnreadable, 6, "rank6.json", "is no trace"}});
    CHECK(job.missing == std::vector<std::int64_t>{5, 6});
    CHECK(problem_of(job, 5) == JobProblem::Kind::kMissing);
    CHECK(problem_of(job, 6) == JobProblem::Kind::kUnreadable);
    CHECK(std::ranges::count(job.problems, 6, &JobProblem::rank) == 1);
  }
  SUBCASE("of a job with other times") {
    other.slow_gpu = -1;
    other.slow_data = 6;
    other.slow_data_step = 1;
    ranks[6] = other.reduce()[6];
    const Job job = analyse_job(std::move(ranks));
    CHECK(problem_of(job, 6) == JobProblem::Kind::kOtherJob);
    CHECK(job.ranks.size() == 7);
    CHECK(job.stragglers.size() == 1);
  }
  SUBCASE("of a job of another size") {
    other.ranks = 4;
    ranks[3] = other.reduce()[3];
    const Job job = analyse_job(std::move(ranks));
    CHECK(problem_of(job, 3) == JobProblem::Kind::kOtherJob);
    CHECK(job.ranks.size() == 7);
  }
  SUBCASE("of other steps") {
    other.first_step = 50;
    ranks[2] = other.reduce()[2];
    const Job job = analyse_job(std::move(ranks));
    CHECK(problem_of(job, 2) == JobProblem::Kind::kOtherSteps);
    CHECK(job.ranks.size() == 7);
  }
  SUBCASE("twice") {
    ranks.push_back(ranks[4]);
    const Job job = analyse_job(std::move(ranks));
    CHECK(problem_of(job, 4) == JobProblem::Kind::kDuplicate);
    CHECK(job.ranks.size() == 8);
  }
  SUBCASE("all of other steps") {
    ranks.resize(1);
    other.first_step = 50;
    ranks.push_back(other.reduce()[1]);
    const Job job = analyse_job(std::move(ranks));
    CHECK(job.ranks.size() == 2);
    CHECK(job.collectives.empty());
    const auto why = std::ranges::find(job.problems, JobProblem::Kind::kUnmatched, &JobProblem::kind);
    REQUIRE(why != job.problems.end());
    CHECK(why->text == "no two ranks have a collective in common: their traces have steps 10 to 12; steps 50 to 52");
  }
  SUBCASE("none at all") {
    CHECK(analyse_job({}).collectives.empty());
  }
}

TEST_CASE("a rank that has no collectives leaves the clocks of the others as they are") {
  JobMaker made;
  made.steps = 12;
  made.clock_us = {0, 500, -2500, 3000};
  std::vector<JobRank> ranks = made.reduce();
  ranks[1].collectives.clear();
  const Job job = analyse_job(std::move(ranks));
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const auto rank = static_cast<std::size_t>(job.ranks[r].rank);
    if (rank == 1) continue;
    CHECK(job.clocks[r].samples > 0);
    CHECK(std::abs(job.clocks[r].offset_ns - made.clock_us[rank] * 1000) < 100);
  }
}

TEST_CASE("a rank's kernels are compared with those of the same step, however long those of other steps take") {
  JobMaker made;
  made.slow_gpu = 1;
  std::vector<JobRank> ranks = made.reduce();
  for (JobRank& rank : ranks)
    for (KernelUse& use : rank.kernels)
      for (std::int32_t step = 0; step < use.step; ++step) use.total *= 50;
  const Job job = analyse_job(std::move(ranks));
  std::set<std::uint32_t> steps;
  for (const Straggler& straggler : job.stragglers) {
    if (job.ranks[straggler.rank].rank != 1) continue;
    CHECK(straggler.cause == LateCause::kSlowerKernels);
    steps.insert(straggler.steps.begin(), straggler.steps.end());
    CHECK(std::ranges::any_of(straggler.evidence, [](const JobPlace& place) {
      return place.what.find("2.00 times the others' duration") != std::string::npos;
    }));
  }
  CHECK(steps.size() == 3);
}

TEST_CASE("a record that begins or ends inside a step meets the others where it has them") {
  for (const bool is_beginning : {true, false}) {
    CAPTURE(is_beginning);
    JobMaker made;
    made.slow_gpu = 1;
    const std::vector<JobRank> whole = made.reduce();
    std::vector<JobRank> cut = whole;
    constexpr std::int32_t kCut = 3;
    JobRank& rank = cut[2];
    auto& parts = rank.collectives;
    if (is_beginning) {
      parts.erase(parts.begin(), parts.begin() + kCut);
      for (CollectivePart& part : parts) part.released_by = std::max(-1, part.released_by - kCut);
    } else {
      parts.resize(parts.size() - kCut);
    }
    const Job job = analyse_job(std::move(cut));
    CHECK(job.ranks.size() == 4);
    std::size_t met = 0;
    for (const JobCollective& c : job.collectives) {
      if (c.count < 2) continue;
      const Nanos end = job.parts[c.first].end;
      for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
        CHECK(std::abs(job.parts[p].end - end) < 1000);  // all that meet end at once
        met += job.ranks[job.parts[p].rank].rank == 2 ? 1 : 0;
      }
    }
    CHECK(met == whole[2].collectives.size() - kCut);
  }
}

TEST_CASE("kinds of problems have keys of their own") {
  using enum JobProblem::Kind;
  std::set<std::string_view> keys;
  for (const JobProblem::Kind kind :
       {kUnreadable, kCutOff, kOtherJob, kOtherSteps, kDuplicate, kUnmatched, kMissing, kNote})
    keys.insert(problem_key(kind));
  CHECK(keys.size() == 8);
  CHECK(problem_key(kCutOff) == "damaged");
  CHECK(problem_key(kNote) == "note");
}

TEST_CASE("what a job lacks is told: losses, collectives, and clocks that cannot be compared") {
  JobMaker made;
  std::vector<JobRank> ranks = made.reduce();
  const auto told = [](const Job& job, std::int64_t rank, std::string_view text) {
    return std::ranges::count_if(
        job.problems, [&](const JobProblem& problem) { return problem.rank == rank && problem.text == text; });
  };
  CHECK(analyse_job(ranks).problems.empty());
  ranks[1].losses = {"the end is missing", "3 events are damaged"};
  CHECK(told(analyse_job(ranks), 1, "damaged or cut off: the end is missing; 3 events are damaged") == 1);
  ranks[1].losses.clear();
  ranks[3].collectives.clear();
  CHECK(told(analyse_job(ranks), 3, "no collectives in its trace") == 1);
  // Two pairs that never meet.
  std::vector<JobRank> pairs = made.reduce();
  for (JobRank& rank : pairs)
    std::erase_if(rank.collectives,
                  [&](const CollectivePart& part) { return rank.groups[part.group].description != "tp"; });
  for (JobRank& rank : pairs)
    for (CollectivePart& part : rank.collectives) part.released_by = -1;
  CHECK(told(analyse_job(pairs), -1, "2 sets of ranks share no collective: clocks are compared only within each set") ==
        1);
  // Ranks that do not say which they are get the numbers that are left.
  std::vector<JobRank> unknown = made.reduce();
  unknown[0].rank = -1;
  const Job job = analyse_job(unknown);
  REQUIRE(job.ranks.size() == 4);
  CHECK(job.ranks[0].rank == 0);
  CHECK(job.ranks[0].rank_is_guessed);
  CHECK(told(job, -1, "some files do not state their rank: it was inferred from their names or their order") == 1);
}
