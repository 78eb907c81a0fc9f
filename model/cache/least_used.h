#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lacuna {

/// A file or folder of a cache, which may go.
struct CachedEntry {
  std::string path;
  std::int64_t used = 0;  ///< when it was written or touched last, by any clock: the smallest goes first
  std::uint64_t bytes = 0;
};

/// Removes what was used the longest time ago, until of `bytes` in all no more than `most` are left. `may_go` is asked
/// right before. What cannot be removed stays.
void remove_least_used(std::vector<CachedEntry> entries, std::uint64_t bytes, std::uint64_t most,
                       const std::function<bool(const CachedEntry&)>& may_go = {});

}  // namespace lacuna
