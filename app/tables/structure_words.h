#pragma once

#include <array>
#include <string>

#include "model/diff/trace_diff.h"

namespace lacuna {

/// What both sides of a row of a comparison by structure are called, kernels by their titles (kernels/kernel_name.h).
struct StructureTitles {
  std::string first;
  std::string second;  ///< B's; empty: as the first, or only one side is there
};
StructureTitles structure_titles(const StructureRow& row);

/// The cells of a row behind its name: calls and kernel time of A and B, and B - A. `is_whole`: every digit; `none`: of
/// a side that is not there.
std::array<std::string, 5> structure_cells(const TraceDiff& diff, const StructureRow& row, bool is_whole,
                                           const std::string& none);

/// Why modules do not stand in it: "Only A has modules: …". Empty: they do, or neither side has them.
std::string structure_without_modules(const StructureDiff& diff);

}  // namespace lacuna
