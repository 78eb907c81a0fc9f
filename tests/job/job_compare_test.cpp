#include "model/job/job_compare.h"

#include <doctest/doctest.h>

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
