#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/memory/call_stacks.h"
#include "model/memory/chunked_vector.h"
#include "model/trace/string_pool.h"

namespace lacuna {

/// The action of an entry of the allocator's history (torch/csrc/cuda/memory_snapshot.cpp). Others, such as
/// user-defined ones, have codes from kKnownActions on: MemorySnapshot::actions.
enum class AllocatorAction : std::uint8_t {
  kAlloc,
  kFreeRequested,  ///< the program released it; another stream may still use it
  kFreeCompleted,
  kSegmentAlloc,
  kSegmentFree,
  kSegmentMap,
  kSegmentUnmap,
  kSnapshot,
  kOutOfMemory,  ///< addr holds the device's free memory
};
inline constexpr std::size_t kKnownActions = 9;

/// One entry of the history. Sizes in bytes, as requested.
struct AllocatorEvent {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::int64_t time_us = 0;  ///< wall clock; 0 if the file has no times
  std::uint32_t stack = 0;   ///< index in CallStacks
  std::uint32_t action_and_stream = 0;

  std::uint8_t action_code() const { return static_cast<std::uint8_t>(action_and_stream); }
  AllocatorAction action() const { return static_cast<AllocatorAction>(action_code()); }
  bool is(AllocatorAction wanted) const { return action() == wanted; }
  std::uint32_t stream() const { return action_and_stream >> 8; }  ///< index into MemorySnapshot::streams
};
static_assert(sizeof(AllocatorEvent) == 32);

enum class BlockState : std::uint8_t { kInactive, kAllocated, kPendingFree, kOther };

/// A part of a segment at the moment of the snapshot. It is live unless inactive.
struct AllocatorBlock {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested_size = 0;  ///< without the allocator's rounding; 0 if not recorded
  std::uint32_t stack = 0;
  StringId state_name;
  BlockState state = BlockState::kOther;

  bool is_live() const { return state != BlockState::kInactive; }
};

/// Memory that the allocator has obtained from the driver.
struct AllocatorSegment {
  std::uint64_t address = 0;
  std::uint64_t total_size = 0;
  std::uint64_t allocated_size = 0;
  std::uint64_t active_size = 0;
  std::int64_t device = 0;
  std::int64_t pool[2] = {0, 0};  ///< private pool of CUDA graphs; {0, 0} is the common pool
  std::uint32_t stream = 0;       ///< index into MemorySnapshot::streams
  std::uint32_t stack = 0;
  StringId type;  ///< "large", "small"
  std::uint32_t first_block = 0;
  std::uint32_t block_count = 0;
  bool is_expandable = false;

  std::uint64_t end() const { return address + total_size; }
};

/// A range or mark recorded by the program, such as Optimizer.step.
struct SnapshotAnnotation {
  StringId stage;  ///< "START" or "END"
  StringId name;
  std::int64_t device = 0;
  std::int64_t time_us = 0;
};

/// The history of one device: a range of MemorySnapshot::events.
struct DeviceHistory {
  std::int64_t device = 0;
  std::size_t first_event = 0;
  std::size_t event_count = 0;
};

/// The contents of a file of torch.cuda.memory._dump_snapshot() (or torch.xpu's). Immutable after reading; any thread.
struct MemorySnapshot {
  StringPool strings;
  CallStacks stacks;
  std::vector<AllocatorSegment> segments;  ///< in the file's order
  std::vector<AllocatorBlock> blocks;
  ChunkedVector<AllocatorEvent> events;
  std::vector<DeviceHistory> devices;  ///< devices with a history
  std::vector<StringId> actions;       ///< by code
  std::vector<std::int64_t> streams;
  std::vector<SnapshotAnnotation> annotations;
  std::vector<std::pair<std::string, std::string>> settings;  ///< of the allocator; those of a group as "group.key"
  std::vector<std::string> keys;                              ///< of the file, sorted
  bool has_times = true;                                      ///< files before PyTorch 2.2 have none
  std::uint64_t not_understood = 0;  ///< entries, blocks and segments that lack required fields: skipped
  std::uint64_t trailing_bytes = 0;

  std::string_view text(StringId id) const { return strings.get(id); }
  const AllocatorEvent& event(const DeviceHistory& device, std::size_t i) const {
    return events[device.first_event + i];
  }
  /// Returns a setting's text, or nothing.
  std::optional<std::string_view> setting(std::string_view name) const;
  /// Describes a frame as "name  file:line"; for native code the name only.
  std::string describe(const StackFrame& frame) const;
  std::size_t memory_bytes() const;
};

}  // namespace lacuna
