#include "app/gui/core/latest_job.h"

#include <atomic>
#include <new>
#include <stdexcept>

#include <doctest/doctest.h>

#include "app/gui/core/job_failures.h"

namespace lacuna {
namespace {

TEST_CASE("what a job throws becomes a message, and the next question is answered") {
  while (take_job_failure()) {
  }
  LatestJob<int> job([] {});
  job.start([]() -> int { throw std::runtime_error("an odd trace"); });
  job.wait();
  CHECK_FALSE(job.is_busy());
  CHECK(job.take() == nullptr);
  const std::optional<std::string> failure = take_job_failure();
  REQUIRE(failure);
  CHECK(failure->find("What was asked for") == 0);
  CHECK(failure->find("an odd trace") != std::string::npos);
  job.start([]() -> int { throw std::bad_alloc(); });
  job.wait();
  job.start([]() -> int { throw std::bad_alloc(); });
  job.wait();
  CHECK(take_job_failure().value_or("").find("not enough memory") != std::string::npos);
  CHECK_FALSE(take_job_failure());  // said once
  job.start([] { return 7; });
  job.wait();
  const auto answer = job.take();
  REQUIRE(answer);
  CHECK(*answer == 7);
}

TEST_CASE("an answer is there although telling of it throws, and the next one too") {
  while (take_job_failure()) {
  }
  LatestJob<int> job([] { throw std::bad_alloc(); });
  for (const int value : {7, 8}) {
    job.start([value] { return value; });
    job.wait();
    const auto answer = job.take();
    REQUIRE(answer);
    CHECK(*answer == value);
    CHECK(take_job_failure().value_or("").find("not enough memory") != std::string::npos);
  }
}

TEST_CASE("an answer is shown while it grows, until it is cancelled") {
  using Job = LatestJob<int>;
  std::atomic<int> news{0};
  std::atomic<bool> was_shown{false}, may_end{false};
  Job job([&] { ++news; });
  job.start_growing([&](Job::Progress& progress) -> std::optional<int> {
    was_shown = progress.show(1);
    while (!may_end) std::this_thread::yield();
    return progress.show(2) ? std::optional<int>(3) : std::nullopt;
  });
  while (news == 0) std::this_thread::yield();
  const auto part = job.take();
  REQUIRE(part);
  CHECK(*part == 1);
  CHECK(job.is_busy());
  job.cancel();
  may_end = true;
  job.wait();
  CHECK(was_shown);
  CHECK(job.take() == nullptr);
  CHECK_FALSE(job.is_busy());
}

}  // namespace
}  // namespace lacuna
