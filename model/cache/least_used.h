#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lacuna {

/// A file or folder of a cache that may be removed.
struct CachedEntry {
  std::string path;
  std::int64_t used = 0;  ///< time of the last write or use, by any clock: the smallest is removed first
  std::uint64_t bytes = 0;
};

/// Removes the least recently used entries until at most `most` of `bytes` in all are left. `may_go` is asked
/// right before each. Entries that cannot be removed stay.
void remove_least_used(std::vector<CachedEntry> entries, std::uint64_t bytes, std::uint64_t most,
                       const std::function<bool(const CachedEntry&)>& may_go = {});

}  // namespace lacuna
