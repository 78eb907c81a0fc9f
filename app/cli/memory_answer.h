#pragma once

#include <string>
#include <vector>

#include "app/cli/memory.h"
#include "app/tables/table.h"
#include "model/memory/allocation_history.h"
#include "model/memory/fragmentation.h"
#include "model/memory/memory_holders.h"
#include "model/memory/out_of_memory.h"
#include "model/memory/snapshot.h"
#include "render/format.h"

namespace lacuna {

/// "-12.5 KiB"
inline std::string size_of(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(bytes);
  return bytes < 0 ? "-" + describe_size(0 - size) : describe_size(size);
}

/// Returns the table of who holds the memory of `device`, at most `most` rows (0: all). `held`: bytes of all holders,
/// which must outlive it.
template <class Row, class Device>
Table holder_table(const std::vector<Row>& holders, const Device& device, double held, std::size_t most) {
  const auto share = [held](const Row& row) { return held == 0 ? 0.0 : static_cast<double>(row.bytes) / held; };
  TableOf<Row> table(holders);
  table.value("device", [device](const Row&) { return device; });
  table.name({"Holder", "name"}, &Row::name);
  table.number({"Held", "bytes"}, &Row::bytes, [](const Row& row) { return size_of(row.bytes); });
  table.count({"Count", "count"}, &Row::count);
  table.number({"Share", "share"}, share, [=](const Row& row) { return held == 0 ? "-" : format_percent(share(row)); });
  table.number({"Largest", "largestBytes", 1}, &Row::largest, [](const Row& row) { return size_of(row.largest); });
  table.shown = {"Held", "Share", "Count", "Largest", "Holder"};
  table.limit(most);
  return table;
}

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

  Table table(std::size_t most) const {
    return holder_table(holders, memory.history->device, static_cast<double>(held), most);
  }
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

/// Their table. They must outlive it.
Table change_table(const std::vector<HolderChange>& changes);

}  // namespace lacuna
