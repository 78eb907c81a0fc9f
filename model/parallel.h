#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace lacuna {

/// Calls work(i) for i = 0 … count-1 on up to `threads` threads, the caller's among them, and
/// returns when all are done. Items are handed out one by one, in order: put the largest first.
/// `work` must not throw.
template <class Work>
void parallel_for(std::size_t count, unsigned threads, Work&& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t t = 1; t < threads && t < count; ++t) helpers.emplace_back(run);
  run();
}

}  // namespace lacuna
