#include "app/gui/core/background_jobs.h"

#include <atomic>
#include <memory>

#include <doctest/doctest.h>

#include "app/gui/core/latest_job.h"

namespace lacuna {
namespace {

TEST_CASE("a list knows every job that was made with it, those of lists in it too") {
  std::atomic<int> woken{0};
  BackgroundJobs jobs([&] { ++woken; });
  CHECK_FALSE(jobs.is_busy());
  LatestJob<int> first(jobs);
  BackgroundJobs part(jobs);
  auto second = std::make_unique<LatestJob<int>>(part);
  second->start([] { return 2; });
  CHECK(jobs.is_busy());
  CHECK(part.is_busy());
  jobs.wait();
  CHECK(jobs.is_busy());  // its answer was not taken yet
  CHECK(woken == 1);
  const auto answer = second->take();
  REQUIRE(answer);
  CHECK(*answer == 2);
  CHECK_FALSE(jobs.is_busy());
  second->start([] { return 3; });
  second->wait();
  second.reset();  // a job that goes is waited for no more
  CHECK_FALSE(jobs.is_busy());
}

TEST_CASE("a job outside a list keeps nobody waiting") {
  BackgroundJobs jobs;
  LatestJob<int> apart([] {});
  apart.start([] { return 1; });
  CHECK_FALSE(jobs.is_busy());
  apart.wait();
}

TEST_CASE("settling goes on while one answer leads to the next question, and leaves what nobody takes") {
  BackgroundJobs jobs;
  LatestJob<int> first(jobs), second(jobs), nobodys(jobs);
  int last = 0;
  nobodys.start([] { return 0; });
  first.start([] { return 20; });
  jobs.settle([&] {
    bool changed = false;
    if (const auto answer = first.take()) {
      second.start([number = *answer] { return number + 1; });
      changed = true;
    }
    if (const auto answer = second.take()) {
      last = *answer;
      changed = true;
    }
    return changed;
  });
  CHECK(last == 21);
  CHECK(nobodys.take() != nullptr);
}

}  // namespace
}  // namespace lacuna
