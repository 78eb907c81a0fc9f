#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/ids.h"
#include "model/memory/snapshot.h"

namespace lacuna {

/// A moment between two events of a device: how many of its events have happened.
using Moment = std::size_t;

/// From when to when a piece of memory was held. Times are numbers of events of its device: memory is held at a
/// Moment m when begin <= m < end.
struct Allocation {
  static constexpr std::uint32_t kBefore = 0;        ///< begin: it was there before the history
  static constexpr std::uint32_t kNever = kNoIndex;  ///< no such event in the history

  std::uint64_t address = 0;
  std::uint64_t size = 0;            ///< bytes; of what was there before and is left, those of its block
  std::uint32_t begin = kBefore;     ///< the moment after its alloc
  std::uint32_t requested = kNever;  ///< the moment after its free_requested
  std::uint32_t end = kNever;        ///< the moment after its free_completed
  std::uint32_t stack = 0;           ///< where it was allocated; 0: not known

  bool is_held(Moment at) const { return begin <= at && at < end; }
};

/// Memory of the driver that is held as one range of addresses, from when to when.
struct SegmentSpan {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t stream = 0;
  std::uint32_t begin = Allocation::kBefore;
  std::uint32_t end = Allocation::kNever;
  std::uint32_t stack = 0;
  bool is_small = false;       ///< of the pool for blocks up to 1 MiB
  bool is_expandable = false;  ///< mapped piece by piece
  bool is_private = false;     ///< of a pool of its own (CUDA graphs)

  bool is_held(Moment at) const { return begin <= at && at < end; }
};

/// The numbers of a device's history. `active` is what the history itself adds up to: what the final state says is
/// live, less what the events after a moment added (as the reference script computes it). Bytes, unlike those of
/// the blocks, without the allocator's rounding.
struct DeviceMemory {
  const DeviceHistory* history = nullptr;
  std::vector<std::pair<std::string_view, std::uint64_t>> actions;  ///< in the order in which they first appear
  std::int64_t active_at_start = 0;
  std::int64_t active_at_end = 0;
  std::int64_t peak_active = 0;
  Moment peak = 0;  ///< the first that reaches it
  std::int64_t peak_time_us = 0;
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;
  std::uint64_t reserved_at_end = 0;

  std::vector<Allocation> allocations;  ///< by their first event; those that have none, last
  std::vector<SegmentSpan> segments;
  std::uint64_t unmatched = 0;  ///< frees of memory that was not held, allocations where some was held already
};

/// Replays the history of a device. O(events); 50 to 100 ns an event, 32 bytes an allocation.
DeviceMemory replay_device(const MemorySnapshot& snapshot, const DeviceHistory& history,
                           const std::atomic<bool>* cancel = nullptr);

/// What of it needs no replay: all but allocations, segments and unmatched.
DeviceMemory sum_device(const MemorySnapshot& snapshot, const DeviceHistory& history);

/// `active` after each event, for charts: one value a moment, 0 … event_count.
std::vector<std::int64_t> active_over_time(const MemorySnapshot& snapshot, const DeviceMemory& memory);

std::int64_t active_at(const MemorySnapshot& snapshot, const DeviceMemory& memory, Moment moment);

/// The moment after the last event at or before a time.
Moment moment_at(const MemorySnapshot& snapshot, const DeviceHistory& history, std::int64_t time_us);
/// The time of the event that led to a moment; of the moment before all, that of the first.
std::int64_t time_of(const MemorySnapshot& snapshot, const DeviceHistory& history, Moment moment);

/// The state of one device's allocator, stepped event by event both ways.
class AllocatorReplay {
 public:
  /// At the end of the history.
  explicit AllocatorReplay(const DeviceMemory& memory);

  Moment moment() const { return moment_; }
  void go_to(Moment moment);
  /// Indexes of DeviceMemory::allocations and segments, by address.
  const std::multimap<std::uint64_t, std::uint32_t>& live() const { return live_; }
  const std::multimap<std::uint64_t, std::uint32_t>& segments() const { return segments_; }
  std::uint64_t live_bytes() const { return live_bytes_; }
  std::uint64_t reserved_bytes() const { return reserved_bytes_; }

 private:
  /// What begins or ends with an event.
  struct Change {
    std::uint32_t moment;
    std::uint32_t index;
    bool is_segment;
    bool is_begin;
  };
  void apply(const Change& change, bool begins);

  const DeviceMemory& memory_;
  std::vector<Change> changes_;
  std::size_t next_ = 0;  // of changes_: the first that has not happened yet
  Moment moment_ = 0;
  std::multimap<std::uint64_t, std::uint32_t> live_;
  std::multimap<std::uint64_t, std::uint32_t> segments_;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t reserved_bytes_ = 0;
};

}  // namespace lacuna
