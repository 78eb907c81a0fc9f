#pragma once

#include <array>
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

/// Returns the cells of a row behind its name: counts of A and B, their values by `key`, B - A, and "2.00×", "new" or
/// "gone". `is_whole`: every digit.
std::array<std::string, 6> diff_cells(const TraceDiff& diff, const DiffRow& row, DiffKey key, bool is_whole);

/// Returns "12", or of an average "12.5".
std::string diff_count(double n);
/// Returns "1.23 ms".
std::string rounded_duration(double ns);
/// Returns "+1.23 ms", "-4 ns", "0 ns".
std::string signed_duration(double ns);

}  // namespace lacuna
