#include "model/job/job_compare.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/cli/table_writers.h"
#include "app/tables/job_comparison_tables.h"
#include "tests/job/job_maker.h"

using namespace lacuna;

TEST_CASE("two jobs compared: a straggler that went, per step, whatever the numbers of steps") {
  JobMaker slow, mended;
  slow.slow_gpu = 1;
  mended.steps = 5;
  const Job before = analyse_job(slow.reduce());
  const Job after = analyse_job(mended.reduce());
  const JobComparison both = compare_jobs(before, after);
  CHECK(both.a.ranks == 4);
  CHECK(both.a.steps == 3);
  CHECK(both.b.steps == 5);
  CHECK(both.a.step > both.b.step);
  CHECK(both.b.step > 0);
  REQUIRE(both.stragglers.size() == 1);
  CHECK(both.stragglers[0].rank == 1);
  CHECK(both.stragglers[0].cause == LateCause::kSlowerKernels);
  CHECK(both.stragglers[0].kind() == StragglerChange::Kind::kGone);
  REQUIRE(before.stragglers.size() == 1);
  CHECK(both.stragglers[0].a == before.stragglers[0].lost / 3);
  CHECK(both.a.lost == before.stragglers[0].lost / 3);
  CHECK(both.b.lost == 0);
  // Four a step in each of two groups, and one of all ranks.
  REQUIRE(both.collectives.size() == 2);
  for (const CollectiveChange& change : both.collectives) {
    CHECK(change.a.per_step == doctest::Approx(change.group == "tp" ? 8 : 1));
    CHECK(change.b.per_step == doctest::Approx(change.a.per_step));
    CHECK(change.a.waited > change.b.waited);
    CHECK(change.a.transfer == change.b.transfer);
  }
  Nanos waited = 0;
  for (const Nanos w : before.waited) waited += w;
  CHECK(both.a.waited == waited / (4 * 3));
}

TEST_CASE("two jobs compared: the other way round the straggler is new; a job against itself changes nothing") {
  JobMaker slow, well;
  slow.slow_gpu = 3;
  const Job a = analyse_job(well.reduce());
  const Job b = analyse_job(slow.reduce());
  const JobComparison both = compare_jobs(a, b);
  REQUIRE(both.stragglers.size() == 1);
  CHECK(both.stragglers[0].kind() == StragglerChange::Kind::kNew);
  const JobComparison same = compare_jobs(b, b);
  REQUIRE(same.stragglers.size() == 1);
  CHECK(same.stragglers[0].kind() == StragglerChange::Kind::kStays);
  CHECK(same.stragglers[0].a == same.stragglers[0].b);
  for (const CollectiveChange& change : same.collectives) CHECK(change.a.total == change.b.total);
}

TEST_CASE("two jobs compared: nothing in common, and nothing at all") {
  JobMaker made;
  const Job job = analyse_job(made.reduce());
  const JobComparison gone = compare_jobs(job, Job{});
  CHECK(gone.b.ranks == 0);
  CHECK(gone.b.step == 0);
  REQUIRE(!gone.collectives.empty());
  CHECK(gone.collectives[0].b.total == 0);
  CHECK(compare_jobs(Job{}, Job{}).collectives.empty());
}

TEST_CASE("two jobs compared: a step is as long as its longest rank, and the middle one stands for all") {
  Job job;
  job.ranks.resize(2);
  for (int s = 0; s < 6; ++s) job.steps.emplace_back(s);
  job.cells.resize(12);
  for (std::size_t s = 0; s < 6; ++s) {
    job.cell(s % 2, s).length = 100 + 10 * static_cast<Nanos>(s);
    job.cell(1 - s % 2, s).length = 1;
  }
  job.waited = {600, 600};
  job.ranks[0].texts = {"", "allreduce"};
  CollectivePart part;
  part.name = 1;
  job.ranks[0].collectives = {part};
  job.parts.resize(2);
  job.groups.resize(2);
  job.groups[0].ranks = {0, 1};
  job.groups[1].stream = "7";
  for (std::uint32_t group : {0u, 1u}) {
    JobCollective collective;
    collective.group = group;
    collective.count = 2;
    collective.waited = 1200;
    collective.transfer = 600;
    job.collectives.push_back(collective);
  }
  const JobComparison same = compare_jobs(job, job);
  CHECK(same.a.step == 125);
  CHECK(same.a.waited == 100);
  REQUIRE(same.collectives.size() == 2);
  std::vector<std::string> groups;
  for (const CollectiveChange& change : same.collectives) {
    groups.push_back(change.group);
    CHECK(change.a.waited == 600);
    CHECK(change.a.total == (1200 + 2 * 600) / 12);
  }
  std::ranges::sort(groups);
  CHECK(groups == std::vector<std::string>{"2 ranks", "stream 7"});
  // Without a step nothing is per step.
  for (JobCell& cell : job.cells) cell.length = 0;
  for (const CollectiveChange& change : compare_jobs(job, job).collectives) CHECK(change.a.per_step == 0);
}

TEST_CASE("two jobs compared: one list of columns is the table that people read and the JSON") {
  JobComparison both;
  both.stragglers = {{.rank = 3, .a = 2'000'000, .b = 3'000'000}, {.rank = 1, .a = 500'000}};
  const JobTable table = straggler_table(both);
  std::string text;
  Output out(text);
  CHECK(print_table(table, 100, out).empty());
  CHECK(out.finish());
  CHECK(text ==
        "Rank  Cause              A        B   Change\n"
        "   3  unexplained  2.00 ms  3.00 ms  +50.0 %\n"
        "   1  unexplained   500 \xC2\xB5s        -     gone\n");
  CHECK(to_text(json_rows(table)) ==
        R"([{"rank":3,"causeName":"unexplained","change":"stays","aLostNs":2000000,"bLostNs":3000000},)"
        R"({"rank":1,"causeName":"unexplained","change":"gone","aLostNs":500000,"bLostNs":0}])");
  const std::vector<JobTable> all = job_comparison_tables(both);
  REQUIRE(all.size() == 3);
  CHECK(all[0].columns[0].text(4) == "Lost to stragglers, all ranks");
  CHECK(all[2].rows == 0);
}
