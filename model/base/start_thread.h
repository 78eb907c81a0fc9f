#pragma once

#include <exception>
#include <string_view>
#include <thread>
#include <utility>

namespace lacuna {

inline constexpr std::string_view kNoMoreThreads = "the system starts no more threads";

/// Starts a thread that runs `work()` or `work(stop_token)`. Not joinable when the system starts none (process limit,
/// no memory): then the work is not done, and the caller must report it. `work` should not throw (run_guarded).
template <class Work>
std::jthread start_thread(Work&& work) noexcept {
  try {
    return std::jthread(std::forward<Work>(work));
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace lacuna
