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
  std::vector<std::int64_t> change(std::size_t{table.moments()} + 1, 0);  // of bytes in activations
  for (std::uint32_t p = 0; p < table.pieces.size(); ++p) {
    const MemoryPiece& piece = table.pieces[p];
    if (categories[category_of[p]] != memory_category_name(MemoryCategory::kActivation)) continue;
    change[std::min(piece.begin, table.moments())] += static_cast<std::int64_t>(piece.bytes);
    change[std::min(piece.end, table.moments())] -= static_cast<std::int64_t>(piece.bytes);
    if (!piece.is_held(moment)) continue;
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
  std::int64_t held = 0;
  for (std::uint32_t m = 0; m < table.moments(); ++m) {
    held += change[m];
    if (held <= static_cast<std::int64_t>(found.most_activations)) continue;
    found.most_activations = static_cast<std::uint64_t>(held);
    found.most_at = m;
  }
  sort_stably(found.modules, std::ranges::greater{}, &CheckpointSaving::bytes);
  return found;
}

}  // namespace lacuna
