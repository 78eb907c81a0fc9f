#include "app/tables/structure_words.h"

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

std::string structure_without_modules(const StructureDiff& diff) {
  if (diff.is_module_side_a == diff.is_module_side_b) return {};
  return std::string("Only ") + (diff.is_module_side_a ? "A" : "B") +
         " has modules: operators are compared without them.";
}

}  // namespace lacuna
