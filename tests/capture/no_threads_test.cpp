// The system starts no more threads: what needs one says so, and nothing else ends.

#include "tests/support/no_threads.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <poll.h>

#include "app/tables/report_format.h"
#include "capture/metrics/metrics_checkups.h"
#include "capture/remote/page_answerer.h"
#include "capture/remote/seen_trace.h"
#include "tests/support/counted_memory.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/trace_maker.h"
#include "tests/support/waiting.h"

using namespace lacuna;

TEST_CASE("a trace of this machine for which no thread starts is not shown to others, in words") {
  if (!is_memory_counted()) return skip("threads are the sanitizer's");
  SeenFile seen;
  seen.file.path = source_folder() + "/assets/demo.trace.json.gz";
  seen.name = "demo";
  const NoThreads none;
  SeenTrace trace({seen}, kReportFormat);
  CHECK(trace.is_read());
  pollfd waits{trace.wakes(), POLLIN, 0};
  CHECK(poll(&waits, 1, 0) == 1);
  const auto piece = trace.see({}, {});
  REQUIRE(!piece);
  CHECK(piece.error().code == ErrorCode::kLimit);
  CHECK(piece.error().message().find("no more threads") != std::string::npos);
}

TEST_CASE("where no thread starts, the examination says that the GPUs' driver was not asked") {
  if (!is_memory_counted()) return skip("threads are the sanitizer's");
  const NoThreads none;
  const std::vector<Checkup> list = examine_metrics();
  REQUIRE(list.size() == 1);
  CHECK(list.front().state == Checkup::State::kMissing);
  CHECK(list.front().found.find("no more threads") != std::string::npos);
}

TEST_CASE("a page for which no thread starts says so, and comes when one does") {
  if (!is_memory_counted()) return skip("threads are the sanitizer's");
  const Trace trace = TraceMaker().thread("aten::mm", 0, 100).build();
  PageAnswerer answerer(trace, kReportFormat);
  {
    const NoThreads none;
    const PageAnswerer::Pages pages = answerer.find({{AskedReport{}}});
    REQUIRE(pages.size() == 1);
    CHECK(pages[0]->problem.find("no more threads") != std::string::npos);
  }
  PageAnswerer::Pages pages;
  REQUIRE(comes_true([&] { return !(pages = answerer.find({{AskedReport{}}})).empty(); }));
  CHECK(pages[0]->problem.empty());
  CHECK(pages[0]->reports.files.size() == 1);
}
