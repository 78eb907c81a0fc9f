#pragma once

#include <chrono>
#include <thread>

namespace lacuna {

/// Polls a condition every 2 ms. False: it did not hold within two minutes, which is far more than any
/// machine needs.
template <class Condition>
bool comes_true(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace lacuna
