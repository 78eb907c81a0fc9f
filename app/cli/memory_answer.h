#pragma once

#include <string>
#include <vector>

#include "app/cli/memory.h"
#include "model/memory/allocation_history.h"
#include "model/memory/fragmentation.h"
#include "model/memory/memory_holders.h"
#include "model/memory/out_of_memory.h"
#include "model/memory/snapshot.h"

namespace lacuna {

/// All that `lacuna memory` says about one device of a snapshot.
struct DeviceAnswer {
  DeviceMemory memory;
  Moment at = 0;
  std::int64_t active = 0;  ///< bytes at that moment, as DeviceMemory counts
  std::uint64_t held = 0;   ///< bytes of the holders
  AllocatorState state;
  std::vector<Holder> holders;
  std::vector<OutOfMemory> out_of_memory;
  std::vector<AllocatorState> over_time;
  std::vector<Moment> steps;
  std::vector<Leak> growing;
};

struct SnapshotAnswer {
  std::string path;
  MemorySnapshot snapshot;
  std::vector<DeviceHistory> devices;  ///< those with segments alone included
  std::vector<DeviceAnswer> answers;   ///< one a device
};

/// Reads the file and computes the answer, in place because its parts point at each other.
Result<void> answer_snapshot(const OpenedFile& file, const std::string& path, const MemoryCommand& command,
                             SnapshotAnswer& answer);

void write_snapshot_text(const SnapshotAnswer& answer, const SnapshotAnswer* other, const MemoryCommand& command,
                         Output& out);
void write_snapshot_json(const SnapshotAnswer& answer, const SnapshotAnswer* other, const MemoryCommand& command,
                         Output& out);
void write_snapshot_html(const SnapshotAnswer& answer, const MemoryCommand& command, Output& out);

/// Sentences about what the file lacks: history, lost entries.
std::vector<std::string> snapshot_remarks(const SnapshotAnswer& answer);

/// Bytes by name in `a` and `b`, at their moments, largest change first.
struct HolderChange {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t other = 0;
  std::int64_t change() const { return static_cast<std::int64_t>(other - bytes); }
};
std::vector<HolderChange> compare_holders(const SnapshotAnswer& a, const SnapshotAnswer& b);

}  // namespace lacuna
