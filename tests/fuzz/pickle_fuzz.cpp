// Pickles of allocator snapshots and flight recorder dumps: any bytes end with an answer or an error, within the
// memory that the reader states.
#include <string>
#include <vector>

#include "model/formats/flight_recorder/flight_dump.h"
#include "model/formats/memory_timeline/timeline_file.h"
#include "model/formats/snapshot/snapshot_reader.h"
#include "model/input/bytes.h"
#include "model/memory/allocation_history.h"
#include "model/memory/flight_recorder.h"
#include "model/memory/fragmentation.h"
#include "model/memory/memory_holders.h"
#include "model/memory/out_of_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace lacuna;
  const auto bytes = make_memory_bytes(std::string(reinterpret_cast<const char*>(data), size));
  (void)read_category_timeline(*bytes, "fuzz");
  if (const Result<FlightDump> dump = read_flight_dump(*bytes, "fuzz_0"); dump) {
    const std::vector<FlightDump> dumps{*dump};
    (void)analyze_hang(dumps);
  }
  const Result<MemorySnapshot> snapshot = read_snapshot(*bytes, "fuzz");
  if (!snapshot) return 0;
  StackNames names(*snapshot);
  for (const DeviceHistory& history : snapshot->devices) {
    const DeviceMemory memory = replay_device(*snapshot, history);
    for (const HolderKey key : {HolderKey::kFrame, HolderKey::kCategory, HolderKey::kStack, HolderKey::kSegment})
      (void)holders_at(*snapshot, memory, memory.peak, key, names);
    (void)explain_out_of_memory(*snapshot, memory);
    (void)states_over_time(memory, 10);
    (void)find_leaks(*snapshot, memory, step_moments(*snapshot, history), names);
  }
  return 0;
}
