#include "model/cache/least_used.h"

#include <algorithm>

#include "model/base/os/folder_tree.h"

namespace lacuna {

void remove_least_used(std::vector<CachedEntry> entries, std::uint64_t bytes, std::uint64_t most,
                       const std::function<bool(const CachedEntry&)>& may_go) {
  std::ranges::sort(entries, {}, &CachedEntry::used);
  for (const CachedEntry& entry : entries) {
    if (bytes <= most) return;
    if (may_go && !may_go(entry)) continue;
    if (!remove_tree(entry.path)) bytes -= std::min(bytes, entry.bytes);
  }
}

}  // namespace lacuna
