#pragma once

#include <cstdint>
#include <vector>

#include "model/memory/allocation_history.h"

namespace lacuna {

/// The reserved and free memory of the allocator at one moment.
struct AllocatorState {
  Moment moment = 0;
  std::uint64_t reserved = 0;              ///< bytes of segments
  std::uint64_t live = 0;                  ///< bytes of the blocks of allocations held; with free_bytes: reserved
  std::uint64_t free_bytes = 0;            ///< bytes of segments in no allocation: cached
  std::uint64_t largest_free = 0;          ///< the largest contiguous free range within one segment
  std::uint64_t unused_segments = 0;       ///< segments without any allocation
  std::uint64_t unused_segment_bytes = 0;  ///< cached, could be returned to the driver
  std::uint64_t segment_count = 0;

  /// The fraction of the free bytes outside the largest free range: 0 … 1.
  double fragmentation() const {
    return free_bytes == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free_bytes);
  }
};

/// Contiguous free ranges in the segments held now, as the allocator would find them for `stream`
/// (an index into MemorySnapshot::streams; kAnyStream: all). O(allocations and segments held).
inline constexpr std::uint32_t kAnyStream = 0xffff'ffff;
AllocatorState state_of(const DeviceMemory& memory, const AllocatorReplay& replay, std::uint32_t stream = kAnyStream);

/// Returns the states at up to `count` moments, spread evenly over the history, its last moment included.
std::vector<AllocatorState> states_over_time(const DeviceMemory& memory, std::size_t count);

}  // namespace lacuna
