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
  CHECK(JobView::value(job.cell(0, 0), JobColumn::kWaited) == 300'000);
  const ReportPlace place = JobView::place_of(document->trace, job.ranks[1], 0, 390'000);
  REQUIRE(place.slice.valid());
  CHECK(document->trace.name(place.slice) == "gemm");
  CHECK(document->trace.source_of(document->trace.track_of(place.slice)).path ==
        document->trace.sources()[job.ranks[1].source].path);
  CHECK(document->trace.process(document->trace.track_of(place.slice).process).source.value == 1);
  CHECK(!JobView::place_of(document->trace, job.ranks[1], 5, 100).slice.valid());
  view.ask(nullptr);
  CHECK(view.answer() == nullptr);
}

}  // namespace
}  // namespace lacuna
