#include "app/gui/models/job/job_view.h"

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

TEST_CASE("job: the ranks of a document meet, and a place of the evidence is on the timeline") {
  TraceMaker make;
  make.kernel("gemm", 0, 90'000, 0).kernel("ncclDevKernel_AllReduce", 100'000, 420'000, 0, "20");
  make.next_file();
  make.kernel("gemm", 0, 390'000, 0).kernel("ncclDevKernel_AllReduce", 400'000, 420'000, 0, "20");
  const DocumentPtr document = make_document(make.build(), {"a", "b"});
  BackgroundJobs jobs;
  JobView view{jobs};
  view.ask(document);
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->error.empty());
  const Job& job = view.answer()->job;
  REQUIRE(job.ranks.size() == 2);
  REQUIRE(job.collectives.size() == 1);
  CHECK(job.waited[0] == 300'000);
  CHECK(cell_value(job.cell(0, 0), JobColumn::kWaited) == 300'000);
  const ReportPlace place = JobView::place_of(document->trace, job.ranks[1].source, 0, 390'000);
  REQUIRE(place.slice.valid());
  CHECK(document->trace.name(place.slice) == "gemm");
  CHECK(document->trace.source_of(document->trace.track_of(place.slice)).path ==
        document->trace.sources()[job.ranks[1].source].path);
  CHECK(document->trace.process(document->trace.track_of(place.slice).process).source.value == 1);
  CHECK(!JobView::place_of(document->trace, job.ranks[1].source, 5, 100).slice.valid());
  view.ask(nullptr);
  CHECK(view.answer() == nullptr);
}

TEST_CASE("job: the map's rows go under hosts, or under the groups of a kind") {
  Job job;
  for (std::int64_t rank = 0; rank < 5; ++rank) {
    JobRank facts;
    facts.rank = rank;
    facts.host = rank == 4 ? "" : rank % 2 == 0 ? "even" : "odd";
    job.ranks.push_back(facts);
  }
  const auto add_group = [&](const char* kind, std::vector<std::int64_t> ranks) {
    JobGroup group;
    group.description = kind;
    group.ranks = std::move(ranks);
    job.groups.push_back(group);
  };
  add_group("tp", {2, 3});
  add_group("tp", {0, 1});
  add_group("dp", {0, 1, 2, 3, 4});
  add_group("tp", {6, 7});
  // One group of all ranks parts nobody.
  CHECK(job_groupings(job) == std::vector<std::string>{"host", "tp"});
  const auto as_text = [](const std::vector<JobMapRow>& rows) {
    std::string text;
    for (const JobMapRow& row : rows)
      text += row.rank == JobMapRow::kHeading ? "[" + row.heading + "]" : std::to_string(row.rank);
    return text;
  };
  CHECK(as_text(job_map_rows(job, "")) == "01234");
  job.steps = {7, 8};
  job.cells.resize(10);
  job.cell(3, 0).lost = 5;
  job.cell(1, 0).lost = 4;
  job.cell(1, 1).lost = 3;
  const JobMap map = job_map(job, {.grouping = "", .is_by_value = true, .column = JobColumn::kLost});
  CHECK(as_text(map.rows) == "13024");
  CHECK(map.most == 5);
  CHECK(as_text(job_map_rows(job, "tp")) == "[tp 0 1]01[tp 2 3]23[of no tp]4");
  CHECK(as_text(job_map_rows(job, "host")) == "[host even]02[host odd]13[no host named]4");
  CHECK(as_text(job_map_rows(job, "dp")) == "[dp 0 1 2 3 4]01234");
}

}  // namespace
}  // namespace lacuna
