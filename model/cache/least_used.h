#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace lacuna {

/// A file or folder of a cache, which may go.
struct CachedEntry {
  std::filesystem::path path;
  std::filesystem::file_time_type used;
  std::uint64_t bytes = 0;
};

/// Removes what was used the longest time ago, until of `bytes` in all no more than `most` are left. `may_go` is asked
/// right before. What cannot be removed stays.
inline void remove_least_used(std::vector<CachedEntry> entries, std::uint64_t bytes, std::uint64_t most,
                              const std::function<bool(const CachedEntry&)>& may_go = {}) {
  std::ranges::sort(entries, {}, &CachedEntry::used);
  for (const CachedEntry& entry : entries) {
    if (bytes <= most) return;
    if (may_go && !may_go(entry)) continue;
    std::error_code failed;
    std::filesystem::remove_all(entry.path, failed);
    if (!failed) bytes -= std::min(bytes, entry.bytes);
  }
}

}  // namespace lacuna
