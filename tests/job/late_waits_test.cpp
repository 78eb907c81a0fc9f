#include "model/job/late_waits.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "model/causes/cause_ranking.h"
#include "model/causes/gap_evidence.h"
#include "model/import/importer.h"
#include "model/path/what_if.h"
#include "model/report/report.h"
#include "render/format.h"
#include "tests/job/job_maker.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

Trace open_ranks(const std::vector<std::string>& ranks, const TemporaryFolder& folder) {
  for (std::size_t r = 0; r < ranks.size(); ++r)
    std::ofstream(folder.path + "/rank" + std::to_string(r) + ".json") << ranks[r];
  auto trace = import_files(std::vector<std::string>{folder.path});
  REQUIRE(trace);
  return std::move(*trace);
}

/// Two ranks, one all-reduce on stream 20 and a kernel on stream 7 that waits for it; in us:
///
///     rank 0   7: [100 a 200]                        [1012 b 1100]
///             20:             [210 allreduce    1010]
///     rank 1   7: [100 a     `came`-10]              [1012 b 1100]
///             20:                      [came    1010]
std::vector<std::string> two_ranks(int came) {
  std::vector<std::string> traces;
  for (int rank = 0; rank < 2; ++rank) {
    const int start = rank == 0 ? 210 : came;
    std::string events;
    const auto add = [&](const std::string& cat, const std::string& name, int pid, int tid, int ts, int end,
                         const std::string& args) {
      events += (events.empty() ? "" : ",") + std::string(R"({"ph":"X","cat":")") + cat + R"(","name":")" + name +
                R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) + R"(,"ts":)" +
                std::to_string(ts) + R"(,"dur":)" + std::to_string(end - ts) + R"(,"args":{)" + args + "}}";
    };
    for (int n = 1; n <= 3; ++n)
      add("cuda_runtime", "cudaLaunchKernel", 1, 1, 10 * n, 10 * n + 5, R"("correlation":)" + std::to_string(n));
    add("kernel", "a", 0, 7, 100, start - 10, R"("correlation":1,"device":0,"stream":7)");
    add("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 20, start, 1010,
        R"("correlation":2,"device":0,"stream":20,"Collective name":"allreduce","In msg nelems":64,)"
        R"("Process Group Name":"0","Process Group Ranks":"[0, 1]","Group size":2,"dtype":"Float")");
    add("kernel", "b", 0, 7, 1012, 1100, R"("correlation":3,"device":0,"stream":7)");
    traces.push_back(R"({"distributedInfo":{"rank":)" + std::to_string(rank) +
                     R"(,"world_size":2},"baseTimeNanoseconds":0,"traceEvents":[)" + events + "]}");
  }
  return traces;
}

/// The gap of stream 7 of the first rank.
GapDiagnosis gap_of(const Trace& trace, const LateRanksPtr& late, std::string* why = nullptr) {
  const CauseIndex index(trace, late);
  for (const CausedGaps& set : diagnose_streams(index)) {
    if (set.source != SourceId{0} || set.gaps.empty()) continue;
    if (why != nullptr)
      *why = explain_gap(trace, set.gaps[0], set.diagnoses[0], gather_evidence(trace, set.gaps[0], set.diagnoses[0]),
                         format_duration);
    return set.diagnoses[0];
  }
  return {};
}

}  // namespace

TEST_CASE("late rank: half of the gap or more went by before the last rank entered what it waited for") {
  // The gap is 200 … 1012: 406 us are half of it, from 210 on.
  for (const int came : {615, 616, 900}) {
    CAPTURE(came);
    const TemporaryFolder folder;
    const Trace trace = open_ranks(two_ranks(came), folder);
    const auto late = find_late_ranks(trace);
    REQUIRE(late);
    REQUIRE(*late != nullptr);
    REQUIRE((*late)->waits.size() == 1);
    const LateWait& wait = (*late)->waits[0];
    CHECK(wait.rank == 1);
    CHECK(wait.span.duration() == (came - 210) * 1000);
    CHECK((*late)->waited(wait.collective) == wait.span.duration());
    std::string why;
    const GapDiagnosis gap = gap_of(trace, *late, &why);
    CHECK(gap.cause == (came == 615 ? GapCause::kCommunication : GapCause::kLateRank));
    CHECK(gap.rank_wait == (came - 210) * 1000);
    CHECK(gap.late_rank == 1);
    if (came == 900) CHECK_MESSAGE(why.ends_with("which waited 690 \u00b5s for rank 1"), why);
    // Of one trace alone nobody can tell.
    CHECK(gap_of(trace, nullptr).cause == GapCause::kCommunication);
  }
}

TEST_CASE("late rank: the report says how long, of whom, and what it would gain") {
  const TemporaryFolder folder;
  const Trace trace = open_ranks(two_ranks(900), folder);
  const std::vector<Report> reports = compute_reports(trace);
  REQUIRE(reports.size() == 2);
  const CauseIndex::RankWaits& waits = reports[0].devices[0].rank_waits;
  CHECK(waits.total == 690'000);
  CHECK(waits.exposed == 690'000);
  CHECK(waits.longest.rank == 1);
  CHECK(reports[1].devices[0].rank_waits.total == 0);
  const auto advice = std::ranges::find_if(reports[0].advice, [](const AdviceGiven& given) {
    return given.changes == std::vector<std::string>{"--no-cause late_rank"};
  });
  REQUIRE(advice != reports[0].advice.end());
  REQUIRE(advice->gain);
  CHECK(*advice->gain == 690'000);
  CHECK(!advice->places.empty());
  // Without the other ranks' traces it is no cause to leave out.
  CHECK_FALSE(WhatIf(trace, SourceId{0}).ask({{WhatIfChange::Kind::kNoCause, "late_rank", 1}}));
}

TEST_CASE("late rank: waits of a made job are those that it was made with") {
  const TemporaryFolder folder;
  JobMaker made;
  made.slow_gpu = 1;
  made.clock_us = {0, 1500, -700, 0};  // fitted before anything is compared
  const Trace trace = open_ranks(made.make(), folder);
  const auto late = find_late_ranks(trace);
  REQUIRE(late);
  REQUIRE(*late != nullptr);
  std::vector<double> waited(4, 0);
  for (const LateWait& wait : (*late)->waits)
    waited[trace.process(trace.track_of(wait.collective).process).source.value] +=
        static_cast<double>(wait.span.duration()) / 1000;
  for (std::size_t r = 0; r < 4; ++r) CHECK(waited[r] == doctest::Approx(made.waited_us[r]).epsilon(0.01));
  // Rank 0 waits for its partner from layer to layer.
  const CauseIndex index(trace, *late);
  std::size_t of_rank_1 = 0;
  for (const CausedGaps& set : diagnose_streams(index))
    for (const GapDiagnosis& gap : set.diagnoses)
      if (set.source == SourceId{0} && gap.cause == GapCause::kLateRank && gap.late_rank == 1) ++of_rank_1;
  CHECK(of_rank_1 == 9);  // but for the last layer of each step, whose kernel waits for all
}

TEST_CASE("late rank: one rank alone, and files that are no job, have none") {
  {
    const TemporaryFolder folder;
    const auto late = find_late_ranks(open_ranks({two_ranks(900)[0]}, folder));
    REQUIRE(late);
    CHECK(*late == nullptr);
  }
  const TemporaryFolder folder;
  const auto late =
      find_late_ranks(open_ranks({R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]})",
                                  R"({"traceEvents":[{"ph":"X","name":"b","pid":1,"tid":1,"ts":1,"dur":2}]})"},
                                 folder));
  REQUIRE(late);
  CHECK(*late == nullptr);
}

TEST_CASE("late rank: eight ranks of DLRM wait for those that came last, as their reference says") {
  const char* given = std::getenv("LACUNA_SHARED_TRACES");
  const std::filesystem::path folder = given != nullptr && *given != '\0'
                                           ? std::filesystem::path(given)
                                           : std::filesystem::path(source_folder()) / ".." / "shared" / "traces";
  if (!std::filesystem::exists(folder / "param_v100_dlrm_8rank")) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  const auto trace = import_files(std::vector<std::string>{(folder / "param_v100_dlrm_8rank").string()});
  REQUIRE(trace);
  const auto late = find_late_ranks(*trace);
  REQUIRE(late);
  REQUIRE(*late != nullptr);
  std::ifstream reference_file(folder.parent_path() / "samples" / "ranks" / "param_v100_dlrm_8rank.json");
  if (!reference_file) return;
  const auto expected = nlohmann::json::parse(reference_file);
  std::vector<double> waited(8, 0);
  for (const LateWait& wait : (*late)->waits) {
    CHECK((wait.rank == 7 || wait.rank == 5 || wait.rank == 4));
    waited[trace->process(trace->track_of(wait.collective).process).source.value] +=
        static_cast<double>(wait.span.duration()) / 1000;
  }
  // Integer microseconds, and offsets of a microsecond: 8 collectives.
  for (std::size_t r = 0; r < 8; ++r) {
    const auto reference = expected["waited_us"][std::to_string(r)].get<double>();
    CHECK(waited[r] == doctest::Approx(reference).epsilon(0.01).scale(1000));
  }
  std::size_t gaps = 0;
  for (const CausedGaps& set : diagnose_streams(CauseIndex(*trace, *late)))
    for (const GapDiagnosis& gap : set.diagnoses) gaps += gap.cause == GapCause::kLateRank ? 1 : 0;
  CHECK(gaps > 0);
}
