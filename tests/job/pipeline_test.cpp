#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/job/job.h"
#include "model/job/rank_extract.h"
#include "tests/job/pipeline_maker.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

/// All who wait in such a job wait for its one slow rank.
void check_slow_rank(const Job& job, int slow) {
  std::string told;
  for (const Straggler& s : job.stragglers) told += fmt::format("{} ({} ns lost)\n", s.sentence, s.lost);
  CAPTURE(told);
  CHECK(job.stragglers.size() == 1);
  REQUIRE(!job.stragglers.empty());
  const Straggler& worst = job.stragglers.front();
  CHECK(job.ranks[worst.rank].rank == slow);
  CHECK(worst.cause == LateCause::kSlowerKernels);
  CHECK(worst.sentence.find("2.00 times") != std::string::npos);
  CHECK(worst.steps.size() == job.steps.size());
}

}  // namespace

TEST_CASE("lateness that went through the pairs of a pipeline is charged to the slow stage alone") {
  PipelineMaker made;
  for (const int slow : {0, 1, 2, 3, 4, 5, 6, 7}) {
    CAPTURE(slow);
    made.slow_rank = slow;
    const Job job = analyse_job(made.reduce());
    CHECK(job.unmatched == 0);
    CHECK(job.ranks.size() == 8);
    check_slow_rank(job, slow);
  }
  made.slow_rank = -1;
  CHECK(analyse_job(made.reduce()).stragglers.empty());
}

TEST_CASE("the same of a timeline with names, also where it shows transfers without waits") {
  const TemporaryFolder folder;
  PipelineMaker made;
  for (const int slow : {0, 1, 2, 3, 4, 5, 6, 7})
    for (const bool waits : {false, true}) {
      CAPTURE(slow);
      CAPTURE(waits);
      made.slow_rank = slow;
      const Result<Trace> trace =
          import_files(std::vector<std::string>{folder.write("timeline.json", made.timeline(waits))});
      REQUIRE(trace);
      const auto ranks = extract_ranks(*trace);
      REQUIRE(ranks);
      REQUIRE(ranks->size() == 8);
      check_slow_rank(analyse_job(*ranks), slow);
    }
}
