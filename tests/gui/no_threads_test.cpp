// The system starts no more threads: what the window asked for does not come, in words, and the window goes on.

#include "tests/support/no_threads.h"

#include <future>
#include <optional>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "app/gui/core/job_failures.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/files/loader.h"
#include "app/gui/models/live/live_recording.h"
#include "capture/sampling/start_job.h"
#include "capture/session/installation.h"
#include "tests/support/counted_memory.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

namespace lacuna {
namespace {

TEST_CASE("a question for which no thread starts has no answer, and says so; the next one has") {
  if (!is_memory_counted()) return skip("threads are the sanitizer's");
  while (take_job_failure()) continue;
  LatestJob<int> job([] {});
  {
    const NoThreads none;
    job.start([] { return 1; });
    CHECK_FALSE(job.is_busy());
    job.wait();
    CHECK(job.take() == nullptr);
  }
  const std::optional<std::string> failure = take_job_failure();
  REQUIRE(failure);
  CHECK(failure->find("no more threads") != std::string::npos);
  job.start([] { return 2; });
  job.wait();
  const auto answer = job.take();
  REQUIRE(answer != nullptr);
  CHECK(*answer == 2);
}

TEST_CASE("a job for which no thread starts is done when somebody asks for it") {
  if (!is_memory_counted()) return skip("threads are the sanitizer's");
  const NoThreads none;
  std::future<int> job = start_job([] { return 3; });
  CHECK(is_done(job));
  CHECK(job.get() == 3);
}

TEST_CASE("a trace for which no thread starts is not opened, in words; the next time it is") {
  if (!is_memory_counted()) return skip("threads are the sanitizer's");
  const std::string demo = source_folder() + "/assets/demo.trace.json.gz";
  ImportOptions options;
  options.use_cache = false;
  int news = 0;
  Loader loader([&] { ++news; });
  {
    const NoThreads none;
    loader.start({demo}, options);
    const std::optional<Result<DocumentPtr>> opened = loader.poll();
    REQUIRE(opened);
    REQUIRE(!*opened);
    CHECK((*opened).error().message().find("no more threads") != std::string::npos);
    CHECK(news == 1);
  }
  loader.start({demo}, options);
  CHECK(loader.wait());
}

TEST_CASE("a recording for which no thread starts does not begin, in words") {
  if (!is_memory_counted()) return skip("threads are the sanitizer's");
  LivePlan plan;
  plan.arguments = {find_installation().demo, "3"};
  const NoThreads none;
  const auto recording = LiveRecording::start(plan, [] {});
  REQUIRE(!recording);
  CHECK(recording.error().message().find("no more threads") != std::string::npos);
}

}  // namespace
}  // namespace lacuna
