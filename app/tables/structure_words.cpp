#include "app/tables/structure_words.h"

#include <fmt/format.h>

#include "app/tables/diff_summary.h"
#include "model/kernels/kernel_name.h"

namespace lacuna {

StructureTitles structure_titles(const StructureRow& row) {
  const auto titled = [&](const StructureSide& side) {
    if (row.kind != StructureKind::kKernel) return side.name();
    StructureSide shown;
    for (const std::string& name : side.names) shown.names.push_back(read_kernel_name(name).title);
    return shown.name();
  };
  if (row.kind == StructureKind::kRoot) return {row.name(), {}};
  if (!row.a.is_there()) return {titled(row.b), {}};
  StructureTitles titles{titled(row.a), row.b.is_there() ? titled(row.b) : std::string()};
  if (titles.first == titles.second) titles.second.clear();
  return titles;
}

std::array<std::string, 5> structure_cells(const TraceDiff& diff, const StructureRow& row, bool is_whole,
                                           const std::string& none) {
  const bool is_called = row.kind != StructureKind::kRoot && row.kind != StructureKind::kNoLaunch;
  const auto count = [&](const StructureSide& side, double steps) {
    return is_called && side.is_there() ? diff_count(static_cast<double>(side.count) / steps) : none;
  };
  const auto time = [&](const StructureSide& side, double steps) {
    const double ns = static_cast<double>(side.time) / steps;
    return !side.is_there() ? none : is_whole ? fmt::format("{}", ns) : rounded_duration(ns);
  };
  return {count(row.a, diff.steps_a), count(row.b, diff.steps_b), time(row.a, diff.steps_a), time(row.b, diff.steps_b),
          is_whole ? fmt::format("{}", row.difference) : signed_duration(row.difference)};
}

std::string structure_without_modules(const StructureDiff& diff) {
  if (diff.is_module_side_a == diff.is_module_side_b) return {};
  return std::string("Only ") + (diff.is_module_side_a ? "A" : "B") +
         " has modules: operators are compared without them.";
}

}  // namespace lacuna
