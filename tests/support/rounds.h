#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace lacuna {

/// How often a test repeats what is random: so many times, with sanitizers a quarter of that but `least` times, since
/// each takes five times as long there and the plain build does them all.
template <class Count>
Count rounds(Count wanted, Count least = 1) {
  return std::getenv("LACUNA_SANITIZED") == nullptr ? wanted : std::max(least, static_cast<Count>(wanted / 4));
}

/// The step through many cases that are alike: each, with sanitizers one of so many.
inline std::size_t one_of(std::size_t many) {
  return std::getenv("LACUNA_SANITIZED") == nullptr ? 1 : many;
}

}  // namespace lacuna
