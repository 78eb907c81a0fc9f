#pragma once

#include <string>

#include "model/diff/structure_diff.h"

namespace lacuna {

/// What both sides of a row of a comparison by structure are called, kernels by their titles (kernels/kernel_name.h).
struct StructureTitles {
  std::string first;
  std::string second;  ///< B's; empty: as the first, or only one side is there
};
StructureTitles structure_titles(const StructureRow& row);

/// Why modules do not stand in it: "Only A has modules: …". Empty: they do, or neither side has them.
std::string structure_without_modules(const StructureDiff& diff);

}  // namespace lacuna
