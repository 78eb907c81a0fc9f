#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/job/job.h"
#include "model/job/load_job.h"
#include "model/job/rank_extract.h"
#include "tests/job/job_maker.h"
#include "tests/support/paths.h"

using namespace lacuna;

TEST_CASE("a rank that really shared its core with a busy loop was preempted") {
  // Recorded by record_preempted.py: collectives without args, on whatever thread of gloo's pool took them.
  const auto loaded = load_ranks(std::vector<std::string>{source_folder() + "/tests/fixtures/job_preempted"});
  REQUIRE(loaded);
  const Job job = analyse_job(loaded->ranks, loaded->problems);
  CHECK(job.ranks.size() == 4);
  CHECK(job.unmatched == 0);
  REQUIRE(job.collectives.size() == 5);  // of four steps, and a barrier
  CHECK(job.groups.front().title() == "CPU");
  REQUIRE(job.stragglers.size() == 1);
  const Straggler& s = job.stragglers.front();
  CHECK(job.ranks[s.rank].rank == 2);
  CHECK(s.cause == LateCause::kPreempted);
  CHECK(s.steps.size() >= 3);
  REQUIRE(!s.evidence.empty());
  for (const JobPlace& place : s.evidence) {
    CHECK(place.rank == 2);
    CHECK(place.duration > 200'000);
  }
}

namespace {

/// As `lacuna record` writes them: of all GPUs of the machine.
std::string clocks(int first, int second) {
  return fmt::format(
      R"({{"ph":"C","pid":3000000000,"tid":3000000000,"ts":5000000,"name":"SM clock","args":{{"MHz":{}}}}},)"
      R"({{"ph":"C","pid":3000000001,"tid":3000000001,"ts":5000000,"name":"SM clock","args":{{"MHz":{}}}}},)",
      first, second);
}

/// The made job with what a recording from outside adds to rank 1: a state of its thread, or the clock of its GPU.
Job with_more(const JobMaker& made, const std::string& events) {
  std::vector<JobRank> ranks;
  for (std::string json : made.make()) {
    // The others' GPUs have the clock of which rank 1 has less.
    json.insert(json.find("\"traceEvents\":[") + 15, ranks.size() == 1 ? events : clocks(1980, 1980));
    const Result<Trace> trace = import_json(json);
    REQUIRE(trace);
    auto reduced = extract_ranks(*trace);
    REQUIRE(reduced);
    ranks.push_back(std::move(reduced->front()));
  }
  return analyse_job(std::move(ranks));
}

}  // namespace

TEST_CASE("gaps of a GPU whose thread was preempted are that thread's") {
  // Step 11 begins some 2.5 ms into the run, and its launches come 3 ms apart from then on.
  JobMaker made;
  made.launch_bound = 1;
  made.launch_bound_step = 1;
  const auto preempted = [](double ms) {
    return fmt::format(
        R"({{"ph":"X","cat":"thread_state","name":"preempted","pid":1,"tid":1000000001,"ts":5005000,"dur":{}}},)",
        ms * 1000);
  };
  const Job most = with_more(made, preempted(20));
  REQUIRE(most.stragglers.size() == 1);
  CHECK(most.stragglers[0].cause == LateCause::kPreempted);
  CHECK(most.stragglers[0].sentence.find("20.0 ms of the step") != std::string::npos);
  REQUIRE(!most.stragglers[0].evidence.empty());
  CHECK(most.stragglers[0].evidence[0].duration == 20'000'000);
  const Job little = with_more(made, preempted(2));
  REQUIRE(little.stragglers.size() == 1);
  CHECK(little.stragglers[0].cause == LateCause::kLaunchBound);
}

TEST_CASE("a rank that slept while it issued work is late for that, at the line that slept") {
  JobMaker made;
  made.launch_bound = 1;
  made.launch_bound_step = 1;
  const auto slept = [](std::string_view state) {
    return fmt::format(
        R"({{"ph":"X","cat":"thread_state","name":"{}","pid":1,"tid":1000000001,"ts":5005000,"dur":20000}},)"
        R"({{"ph":"X","cat":"python_sample","name":"train.py(4): step","pid":1,"tid":2000000001,"ts":5000000,"dur":30000,)"
        R"("args":{{"line":6}}}},)"
        R"({{"ph":"X","cat":"python_sample","name":"time.sleep","pid":1,"tid":2000000001,"ts":5005000,"dur":20000}},)",
        state);
  };
  const Job job = with_more(made, slept("waiting: sleep"));
  REQUIRE(job.stragglers.size() == 1);
  CHECK(job.stragglers[0].cause == LateCause::kWaited);
  CHECK(job.stragglers[0].sentence.find("for 20.0 ms of the step, most in train.py") != std::string::npos);
  CHECK(job.stragglers[0].sentence.find("time.sleep") != std::string::npos);
  REQUIRE(!job.stragglers[0].evidence.empty());
  CHECK(job.stragglers[0].evidence[0].duration == 20'000'000);
  // A lock is what ranks wait in for each other.
  const Job locked = with_more(made, slept("waiting: lock"));
  REQUIRE(locked.stragglers.size() == 1);
  CHECK(locked.stragglers[0].cause != LateCause::kWaited);
}

TEST_CASE("slower kernels at a lower clock are so because of it, by the clock of the rank's own GPU") {
  JobMaker made;
  made.slow_gpu = 1;
  // Its kernels are on device 0.
  const Job lower = with_more(made, clocks(1095, 1980));
  REQUIRE(lower.stragglers.size() == 1);
  CHECK(lower.ranks[lower.stragglers[0].rank].rank == 1);
  CHECK(lower.stragglers[0].cause == LateCause::kLowerClock);
  CHECK(lower.stragglers[0].sentence.find("1095 MHz, the others' at 1980") != std::string::npos);
  CHECK(!lower.stragglers[0].evidence.empty());
  made.device = 1;
  const Job other = with_more(made, clocks(1095, 1980));  // idle GPUs have low clocks
  REQUIRE(other.stragglers.size() == 1);
  CHECK(other.stragglers[0].cause == LateCause::kSlowerKernels);
  CHECK(with_more(made, clocks(1980, 1095)).stragglers[0].cause == LateCause::kLowerClock);
}
