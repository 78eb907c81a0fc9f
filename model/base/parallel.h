#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace lacuna {

/// Calls work(i) for i = 0 … count-1 on up to `threads` threads, the caller's among them, and
/// returns when all are done. Items are handed out one by one, in order: put the largest first.
/// An exception of `work` (mostly out of memory) stops handing out items and is rethrown here.
template <class Work>
void parallel_for(std::size_t count, unsigned threads, Work&& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> has_failed{false};
  std::exception_ptr failure;  // written by the thread that sets has_failed
  const auto run = [&] {
    try {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
    } catch (...) {
      next = count;
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t t = 1; t < threads && t < count; ++t) helpers.emplace_back(run);
    } catch (const std::exception&) {
      // If fewer threads can be started, those do all the work.
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lacuna
