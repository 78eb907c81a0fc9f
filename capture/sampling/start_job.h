#pragma once

#include <chrono>
#include <future>
#include <utility>

namespace lacuna {

/// Runs `job` on a thread of its own; where the system starts none, is_done() runs it in the caller's thread.
template <class Job>
auto start_job(Job&& job) {
  return std::async(std::launch::async | std::launch::deferred, std::forward<Job>(job));
}
/// Whether the job is done, so that get() does not block.
template <class Value>
bool is_done(const std::future<Value>& job) {
  const std::future_status status = job.wait_for(std::chrono::seconds(0));
  if (status == std::future_status::deferred) job.wait();  // runs it in this thread
  return status != std::future_status::timeout;
}

}  // namespace lacuna
