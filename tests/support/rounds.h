#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace lacuna {

inline bool has_sanitizers() {
  return std::getenv("LACUNA_SANITIZED") != nullptr;
}

/// Returns how often a test repeats a random check: `wanted` times, with sanitizers a quarter of that but at least
/// `least` times, since each takes five times as long there and the plain build does them all.
template <class Count>
Count rounds(Count wanted, Count least = 1) {
  return has_sanitizers() ? std::max(least, static_cast<Count>(wanted / 4)) : wanted;
}

/// Returns the step through many similar cases: all of them, with sanitizers one of `many`.
inline std::size_t one_of(std::size_t many) {
  return has_sanitizers() ? many : 1;
}

}  // namespace lacuna
