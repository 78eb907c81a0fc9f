// What an allocator had free, against a map of every byte; and the sentences on memory that ran out, whole.

#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include "model/formats/snapshot/snapshot_reader.h"
#include "model/input/bytes.h"
#include "model/memory/allocation_history.h"
#include "model/memory/fragmentation.h"
#include "model/memory/memory_holders.h"
#include "model/memory/out_of_memory.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

MemorySnapshot read_back(const std::string& events, const std::string& blocks) {
  auto snapshot = read_snapshot(*make_memory_bytes(snapshot_opcodes(events, blocks)), "test");
  REQUIRE(snapshot.has_value());
  return std::move(*snapshot);
}

TEST_CASE("what is free in a segment is what no block covers, in whole units of 512 bytes") {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    std::string blocks;
    std::vector<bool> used(8);  // units of the one segment, 4096 bytes at 4096
    for (std::size_t at = random() % 3; at < used.size();) {
      const std::size_t units = 1 + random() % 3;
      if (at + units > used.size()) break;
      if (random() % 4 != 0) {
        blocks += block_opcodes(4096 + 512 * at, 512 * units - random() % 2 * 511, "active_allocated");
        for (std::size_t u = at; u < at + units; ++u) used[u] = true;
      }
      at += units + random() % 2;
    }
    const MemorySnapshot snapshot = read_back(event_opcodes("oom", 0, 1, 1), blocks);
    const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
    AllocatorReplay replay(memory);
    replay.go_to(1);
    // A block of 1537 bytes takes four units, one of 1 or 512 takes one.
    std::fill(used.begin(), used.end(), false);
    for (const Allocation& allocation : memory.allocations)
      for (std::uint64_t u = 0; u * 512 < allocation.size; ++u) used[(allocation.address - 4096) / 512 + u] = true;
    std::uint64_t free_bytes = 0, largest = 0, run = 0;
    for (const bool is_used : used) {
      run = is_used ? 0 : run + 512;
      free_bytes += is_used ? 0 : 512;
      largest = std::max(largest, run);
    }
    const AllocatorState state = state_of(memory, replay);
    CHECK(state.free_bytes == free_bytes);
    CHECK(state.largest_free == largest);
    CHECK(state.live == 4096 - free_bytes);
    CHECK(state.reserved == 4096);
    CHECK(state.segment_count == 1);
    CHECK(state.unused_segments == (free_bytes == 4096 ? 1 : 0));
    CHECK(state.unused_segment_bytes == (free_bytes == 4096 ? 4096 : 0));
  }
}

TEST_CASE("a block at the begin of a segment is not of the one that ends there") {
  const MemorySnapshot snapshot =
      read_back(event_opcodes("segment_alloc", 8192, 4096, 1) + event_opcodes("alloc", 8192, 512, 2) +
                    event_opcodes("free_requested", 8192, 512, 3) + event_opcodes("free_completed", 8192, 512, 4) +
                    event_opcodes("segment_free", 8192, 4096, 5),
                "");
  const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
  AllocatorReplay replay(memory);
  replay.go_to(2);
  const AllocatorState state = state_of(memory, replay);
  CHECK(state.segment_count == 2);
  CHECK(state.unused_segments == 1);
  CHECK(state.live == 512);
  CHECK(state.free_bytes == 8192 - 512);
  CHECK(state.largest_free == 4096);
}

/// The sentences on one allocation that failed, with 1 KiB and 2 KiB free of a segment of 4.
std::string sentences_of(std::uint64_t device_free, std::uint64_t asked) {
  const MemorySnapshot snapshot =
      read_back(event_opcodes("oom", device_free, asked, 1), block_opcodes(4096, 1024, "inactive") +
                                                                 block_opcodes(5120, 1024, "active_allocated") +
                                                                 block_opcodes(6144, 2048, "inactive"));
  const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
  const auto ooms = explain_out_of_memory(snapshot, memory);
  REQUIRE(ooms.size() == 1);
  return fmt::format("{}: {}", out_of_memory_key(ooms[0].cause), fmt::join(ooms[0].sentences, "; "));
}

TEST_CASE("out of memory, in words: each cause at its least and at its most") {
  const auto held = [](const char* left) {
    return fmt::format(
        "the device had {} left; PyTorch held 4.00 KiB in 1 segment: 1.00 KiB in use, 3.00 KiB cached; "
        "the largest free range was 2.00 KiB; ",
        left);
  };
  const std::string fragmented =
      held("100 B") +
      "3.00 KiB was free in segments of this stream, but the largest range was 2.00 KiB: fragmentation; it would have "
      "fitted with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, which joins free memory into one range";
  CHECK(sentences_of(100, 2560) == "fragmented: 2.50 KiB was requested on stream 0; " + fragmented);
  CHECK(sentences_of(100, 3072) == "fragmented: 3.00 KiB was requested on stream 0; " + fragmented);
  const std::string cached =
      "cached and free memory together would have sufficed, but no range of it did; fewer cached segments would have "
      "done: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or garbage_collection_threshold";
  CHECK(sentences_of(512, 3584) == "cached: 3.50 KiB was requested on stream 0; " + held("512 B") + cached);
  CHECK(sentences_of(511, 3584) == "held: 3.50 KiB was requested on stream 0; " + held("511 B") +
                                       "1 B more would have had to be free: the program holds too much, see the "
                                       "holders");
  CHECK(sentences_of(512, 4608) == "held: 4.50 KiB was requested on stream 0; " + held("512 B") +
                                       "1.00 KiB more would have had to be free: the program holds too much, see the "
                                       "holders");
  CHECK(sentences_of(511, 4608) == "tooLarge: 4.50 KiB was requested on stream 0; " + held("511 B") +
                                       "that is more than all that PyTorch held and the device had left together");
  const std::string limited =
      "the device had enough left: a limit of the process (set_per_process_memory_fraction), or memory that the driver "
      "keeps";
  CHECK(sentences_of(4096, 4096) == "limited: 4.00 KiB was requested on stream 0; " + held("4.00 KiB") + limited);
  CHECK(sentences_of(4095, 4096).starts_with("cached: "));
}

TEST_CASE("sizes in words, at the edge of each unit") {
  CHECK(describe_size(0) == "0 B");
  CHECK(describe_size(1023) == "1023 B");
  CHECK(describe_size(1024) == "1.00 KiB");
  CHECK(describe_size((1 << 20) - 1024) == "1023.00 KiB");
  CHECK(describe_size(1 << 20) == "1.00 MiB");
  CHECK(describe_size(std::uint64_t{1} << 60) == "1.00 EiB");
  CHECK(describe_size(std::uint64_t{15} << 60) == "15.00 EiB");
}

}  // namespace
}  // namespace lacuna
