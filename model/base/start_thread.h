#pragma once

#include <exception>
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

}  // namespace lacuna
