#pragma once

#include <string>
#include <vector>

#include "model/diff/trace_diff.h"

namespace lacuna {

/// One overall figure of both sides, as text.
struct DiffFact {
  std::string what;
  std::string a, b;
  std::string difference;  ///< B - A; empty where there is none
  int indent = 0;          ///< 1: part of the fact above
};

/// Returns step time, busy share, time by kind of work, idle time by cause, and verdict, for each GPU: printed by
/// `lacuna diff` above its tables, and shown in the window beside them.
std::vector<DiffFact> summarise_diff(const TraceDiff& diff);

/// Returns "1.23 ms", to whole nanoseconds.
std::string rounded_duration(double ns);
/// Returns "+1.23 ms", "-4 ns", "0 ns".
std::string signed_duration(double ns);

}  // namespace lacuna
