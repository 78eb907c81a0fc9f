#pragma once

#include <chrono>
#include <future>
#include <utility>

namespace lacuna {

/// Runs `job` on a thread of its own; where the system starts none, when the caller asks whether it is done.
template <class Job>
auto start_job(Job&& job) {
  return std::async(std::launch::async | std::launch::deferred, std::forward<Job>(job));
}
/// Whether such a job is done, so that get() does not wait.
template <class Value>
bool is_done(const std::future<Value>& job) {
  const std::future_status status = job.wait_for(std::chrono::seconds(0));
  if (status == std::future_status::deferred) job.wait();  // here and now
  return status != std::future_status::timeout;
}

}  // namespace lacuna
