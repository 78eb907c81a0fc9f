#include "model/holders/checkpointing.h"

#include <algorithm>
#include <functional>

#include "model/base/stable_sort.h"
#include "model/memory/memory_holders.h"

namespace lacuna {

Checkpointing find_checkpoint_savings(const MemoryHistory& history, std::uint32_t moment) {
  Checkpointing found;
  const MemoryTable& table = history.table;
  if (moment >= table.moments()) return found;
  found.held = static_cast<std::uint64_t>(std::max<std::int64_t>(0, table.active[moment]));
  if (!history.has_pieces()) return found;
  std::vector<std::string> categories, modules;
  const std::vector<std::uint32_t> category_of = history.groups(HolderGroup::kCategory, categories);
  const bool has_modules = history.has_group(HolderGroup::kModule);
  std::vector<std::uint32_t> module_of;
  if (has_modules) module_of = history.groups(HolderGroup::kModule, modules);
  std::vector<CheckpointSaving> savings(modules.size());
  for (std::uint32_t p = 0; p < table.pieces.size(); ++p) {
    const MemoryPiece& piece = table.pieces[p];
    if (!piece.is_held(moment) || categories[category_of[p]] != memory_category_name(MemoryCategory::kActivation))
      continue;
    found.activations += piece.bytes;
    if (!has_modules) continue;
    CheckpointSaving& saving = savings[module_of[p]];
    if (saving.allocations++ == 0 || piece.bytes > table.pieces[saving.largest].bytes) saving.largest = p;
    saving.bytes += piece.bytes;
  }
  for (std::size_t m = 0; m < savings.size(); ++m) {
    if (savings[m].allocations == 0) continue;
    savings[m].module = modules[m];
    found.modules.push_back(std::move(savings[m]));
  }
  sort_stably(found.modules, std::ranges::greater{}, &CheckpointSaving::bytes);
  return found;
}

}  // namespace lacuna
