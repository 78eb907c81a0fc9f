#include "model/job/ranks_by_name.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/job/job.h"
#include "model/job/rank_extract.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

constexpr int kSteps = 3;
constexpr int kStepUs = 100'000;
constexpr int kWorkUs = 10'000;

/// Two data-parallel ranks of two stages in one file: the first stage computes and sends, the second receives and
/// computes, then each stage reduces over both ranks. DP rank `slow` takes twice as long in its first stage.
std::string timeline(int slow, bool has_names = true) {
  std::string events;
  const auto add = [&](const std::string& event) { events += (events.empty() ? "" : ",\n") + event; };
  const auto slice = [&](const char* name, int dp, int thread, int step, int start, int end) {
    add(fmt::format(
        R"({{"ph":"X","cat":"{0}","name":"{0}","pid":{1},"tid":{2},"ts":{3},"dur":{4},"args":{{"step":{5}}}}})", name,
        dp, thread, step * kStepUs + start, end - start, step + 40));
  };
  constexpr const char* kRoles[] = {"compute", "pp-comm", "dp-comm"};
  for (int dp = 0; dp < 2; ++dp) {
    add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"{1} [{0}]"}}}})", dp,
                    has_names ? "DP rank" : "worker"));
    for (int thread = 0; thread < 6; ++thread)
      add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}, {}"}}}})", dp, thread,
                      has_names ? fmt::format("PP rank {}, TP rank 0", thread / 3) : "lane", kRoles[thread % 3]));
  }
  for (int step = 0; step < kSteps; ++step)
    for (int dp = 0; dp < 2; ++dp) {
      const int first = dp == slow ? 2 * kWorkUs : kWorkUs;  // when the first stage is done
      const int second = first + 100 + kWorkUs;              // and the second
      const int slowest = slow >= 0 ? 2 * kWorkUs : kWorkUs;
      slice("forward-compute", dp, 0, step, 0, first);
      slice("forward-send", dp, 1, step, first, first + 100);
      slice("forward-recv", dp, 4, step, 0, first + 100);
      slice("forward-compute", dp, 3, step, first + 100, second);
      slice("grads-reduce-scatter", dp, 2, step, first + 200, slowest + 1'000);
      slice("grads-reduce-scatter", dp, 5, step, second, slowest + 100 + kWorkUs + 1'000);
    }
  return "{\"traceEvents\": [" + events + "]}";
}

}  // namespace

TEST_CASE("ranks and groups are told from names of processes and threads, and the slow one is found") {
  const TemporaryFolder folder;
  const Result<Trace> trace = import_files(std::vector<std::string>{folder.write("timeline.json", timeline(1))});
  REQUIRE(trace);
  const auto ranks = extract_ranks(*trace);
  REQUIRE(ranks);
  REQUIRE(ranks->size() == 4);
  const Job job = analyse_job(*ranks);
  CHECK(job.unmatched == 0);
  CHECK(job.steps.size() == kSteps);
  CHECK(job.steps.front() == 40);
  // A pair for each data-parallel rank, and a collective for each stage.
  CHECK(job.collectives.size() == kSteps * 4u);
  CHECK(std::ranges::count_if(job.collectives, &JobCollective::is_pair) == kSteps * 2);
  REQUIRE(!job.stragglers.empty());
  const Straggler& worst = job.stragglers.front();
  CHECK(job.ranks[worst.rank].rank == 1);  // stage 0 of DP rank 1: stages are farthest apart
  CHECK(worst.cause == LateCause::kSlowerKernels);
  CHECK(worst.steps.size() == kSteps);
  for (const JobGroup& group : job.groups)
    if (group.description == "dp" && group.name == "pp 1 tp 0") CHECK(group.ranks == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("names that say nothing make no ranks, and equal ranks no stragglers") {
  const TemporaryFolder folder;
  const Result<Trace> nameless =
      import_files(std::vector<std::string>{folder.write("nameless.json", timeline(1, false))});
  REQUIRE(nameless);
  const auto none = ranks_by_name(*nameless, SourceId{0});
  REQUIRE(none);
  CHECK(none->empty());
  const Result<Trace> equal = import_files(std::vector<std::string>{folder.write("equal.json", timeline(-1))});
  REQUIRE(equal);
  const auto ranks = extract_ranks(*equal);
  REQUIRE(ranks);
  CHECK(analyse_job(*ranks).stragglers.empty());
}

TEST_CASE("ranks are numbered by the kinds that the names have, without stages too") {
  const auto named = [](const char* process, const char* thread) {
    std::string events;
    for (int rank = 0; rank < 2; ++rank)
      events += fmt::format(
          R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"{1} [{0}]"}}}},
{{"ph":"M","name":"thread_name","pid":{0},"tid":1,"args":{{"name":"{2}"}}}},
{{"ph":"X","cat":"c","name":"forward-compute","pid":{0},"tid":1,"ts":{3},"dur":9,"args":{{"step":1}}}},)",
          rank, process, thread, 10 + rank);
    events.pop_back();
    const TemporaryFolder folder;
    const Result<Trace> trace =
        import_files(std::vector<std::string>{folder.write("named.json", "{\"traceEvents\":[" + events + "]}")});
    REQUIRE(trace);
    const auto ranks = ranks_by_name(*trace, SourceId{0});
    REQUIRE(ranks);
    return ranks->size();
  };
  CHECK(named("DP rank", "PP rank 0, TP rank 0, compute") == 2);
  CHECK(named("DP rank", "TP rank 0, compute") == 2);
  CHECK(named("DP rank", "PP rank 0, compute") == 2);
  CHECK(named("TP rank", "PP rank 0, compute") == 2);
  CHECK(named("worker", "compute") == 0);
}
