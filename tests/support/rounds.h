#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace lacuna {

inline bool has_sanitizers() {
  return std::getenv("LACUNA_SANITIZED") != nullptr;
}

/// How often a test repeats what is random: so many times, with sanitizers a quarter of that but `least` times, since
/// each takes five times as long there and the plain build does them all.
template <class Count>
Count rounds(Count wanted, Count least = 1) {
  return has_sanitizers() ? std::max(least, static_cast<Count>(wanted / 4)) : wanted;
}

/// The step through many cases that are alike: each, with sanitizers one of so many.
inline std::size_t one_of(std::size_t many) {
  return has_sanitizers() ? many : 1;
}

}  // namespace lacuna
