#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "capture/wire/record.h"
#include "model/base/seeded_hash.h"

namespace lacuna {

/// Running totals of the CUDA memory of one process, from CUPTI's records of allocations and releases.
/// Device, array and managed memory count for their device; pinned and pageable for the host. Memory
/// allocated before the capture began is not in the totals. At most kMostKnown live allocations are
/// tracked by address: beyond, a release without a size of its own counts as 0 bytes.
class MemoryTotals {
 public:
  static constexpr std::size_t kMostKnown = std::size_t{1} << 20;

  struct Change {
    bool is_host = false;
    std::int64_t bytes = 0;  ///< negative: a release
    std::int64_t total = 0;  ///< of the host or the device, after the change
  };
  /// Applies a record; records of a process must come in their order.
  Change apply(const wire::MemoryRecord& record);

 private:
  std::unordered_map<std::uint64_t, std::uint64_t, SeededHash> bytes_at_;
  std::map<std::pair<bool, std::uint32_t>, std::int64_t> totals_;
};

}  // namespace lacuna
