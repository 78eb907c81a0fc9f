#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <string_view>
#include <thread>
#include <utility>

namespace lacuna {

inline constexpr std::string_view kNoMoreThreads = "the system starts no more threads";

/// A thread that does `work()`, or `work(stop_token)`. Not joinable where the system starts none (a limit of processes,
/// no memory): then nobody does it, and who asked says so. `work` should throw nothing (run_guarded).
template <class Work>
std::jthread start_thread(Work&& work) noexcept {
  try {
    return std::jthread(std::forward<Work>(work));
  } catch (const std::exception&) {
    return {};
  }
}

/// Runs `job` on a thread of its own; where the system starts none, when somebody asks whether it is done.
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
