#pragma once

#include <string>
#include <vector>

#include "model/diff/trace_diff.h"

namespace lacuna {

/// One number of the whole on both sides, in words.
struct DiffFact {
  std::string what;
  std::string a, b;
  std::string difference;  ///< B - A; empty where that makes no sense
  int indent = 0;          ///< 1: a part of the one above
};

/// Step time, busy share, what the time went to, idle time by cause, verdict, GPU by GPU: what `lacuna diff` prints
/// above its tables, and the window beside them.
std::vector<DiffFact> summarise_diff(const TraceDiff& diff);

/// "+1.23 ms", "-4 ns", "0 ns".
std::string signed_duration(double ns);

}  // namespace lacuna
