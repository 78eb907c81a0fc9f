#pragma once

#include <algorithm>
#include <cstdlib>

namespace lacuna {

/// How often a test repeats what is random: so many times, with sanitizers a quarter of that, since each takes five
/// times as long there and the plain build does them all.
inline int rounds(int wanted) {
  return std::getenv("LACUNA_SANITIZED") == nullptr ? wanted : std::max(1, wanted / 4);
}

}  // namespace lacuna
