#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/formats/snapshot/snapshot_reader.h"
#include "model/input/bytes.h"
#include "model/memory/allocation_history.h"
#include "model/memory/fragmentation.h"
#include "model/memory/memory_holders.h"
#include "model/memory/out_of_memory.h"
#include "tests/memory/pickle_maker.h"

namespace lacuna {
namespace {

MemorySnapshot snapshot_of(const std::string& events, const std::string& blocks) {
  auto snapshot = read_snapshot(*make_memory_bytes(snapshot_opcodes(events, blocks)), "test");
  REQUIRE(snapshot.has_value());
  return std::move(*snapshot);
}

TEST_CASE("stacks are what was interned, however much they share") {
  CallStacks stacks;
  std::mt19937 random(3);
  std::vector<std::uint32_t> now;  // outermost first
  std::vector<std::vector<std::uint32_t>> wanted;
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t kept = random() % (now.size() + 1);
    std::vector<std::uint32_t> inner(random() % 6);
    for (auto& frame : inner) frame = static_cast<std::uint32_t>(random() % 9);
    now.resize(kept);
    now.insert(now.end(), inner.begin(), inner.end());
    if (now.size() > 60) now.clear(), inner.clear();
    ids.push_back(stacks.intern_stack(now.empty() ? 0 : kept, now.empty() ? std::vector<std::uint32_t>{} : inner));
    wanted.emplace_back(now.rbegin(), now.rend());
  }
  stacks.finish();
  std::vector<std::uint32_t> read;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    stacks.read_stack(ids[i], read);
    REQUIRE(read == wanted[i]);
    for (std::size_t j = i < 50 ? 0 : i - 50; j < i; ++j) REQUIRE((ids[i] == ids[j]) == (wanted[i] == wanted[j]));
  }
}

TEST_CASE("an allocation is held from its alloc to free_completed") {
  const MemorySnapshot snapshot = snapshot_of(
      event_opcodes("alloc", 4096, 512, 10, frame_opcodes("f", 1)) + event_opcodes("free_requested", 6144, 1024, 11) +
          event_opcodes("free_completed", 6144, 1024, 12) + event_opcodes("alloc", 5120, 256, 13),
      block_opcodes(4096, 512, "active_allocated") + block_opcodes(5120, 512, "active_pending_free"));
  REQUIRE(snapshot.devices.size() == 1);
  const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
  const auto moments = [&](std::size_t count) {
    std::vector<std::uint64_t> found;
    for (const AllocatorState& state : states_over_time(memory, count)) found.push_back(state.moment);
    return found;
  };
  CHECK(moments(3) == std::vector<std::uint64_t>{0, 2, 4});  // spread evenly, the last one among them
  CHECK(moments(2) == std::vector<std::uint64_t>{0, 4});
  CHECK(moments(1) == std::vector<std::uint64_t>{4});
  CHECK(moments(100).size() == 5);
  CHECK(memory.active_at_end == 1024);
  CHECK(memory.active_at_start == 1024 - 512 + 1024 - 256);
  CHECK(memory.peak_active == 1280 + 512);
  CHECK(memory.peak == 1);
  CHECK(memory.peak_time_us == 10);
  CHECK(memory.unmatched == 0);
  REQUIRE(memory.allocations.size() == 3);
  CHECK(memory.allocations[1].begin == Allocation::kBefore);
  CHECK(memory.allocations[1].requested == 2);
  CHECK(memory.allocations[1].end == 3);
  StackNames names(snapshot);
  const auto holders = holders_at(snapshot, memory, 1, HolderKey::kFrame, names);
  REQUIRE(holders.size() == 2);
  CHECK(holders[0].name == "(stack not recorded)");
  CHECK(holders[0].bytes == 1024);
  CHECK(holders[1].name == "f  /a/b.py:1");
}

TEST_CASE("replaying backward and forward gives the same state at every moment") {
  std::mt19937 random(11);
  std::string events;
  std::vector<bool> held(8);
  for (int i = 0; i < 120; ++i) {
    const std::uint64_t slot = random() % held.size();
    const std::uint64_t address = 4096 + 512 * slot;
    if (held[slot]) {
      events += event_opcodes("free_requested", address, 512, i) + event_opcodes("free_completed", address, 512, i);
    } else {
      events += event_opcodes("alloc", address, 512, i);
    }
    held[slot] = !held[slot];
    if (i % 30 == 0) events += event_opcodes("segment_alloc", 65536 + 4096 * static_cast<std::uint64_t>(i), 4096, i);
    if (i % 30 == 20)
      events += event_opcodes("segment_free", 65536 + 4096 * static_cast<std::uint64_t>(i - 20), 4096, i);
  }
  std::string blocks;
  for (std::size_t slot = 0; slot < held.size(); ++slot)
    blocks += block_opcodes(4096 + 512 * slot, 512, held[slot] ? "active_allocated" : "inactive");
  const MemorySnapshot snapshot = snapshot_of(events, blocks);
  const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
  const std::size_t count = snapshot.devices[0].event_count;
  AllocatorReplay replay(memory);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> backward(count + 1);
  for (std::size_t m = count + 1; m-- > 0;) {
    replay.go_to(m);
    backward[m] = {replay.live_bytes(), replay.reserved_bytes()};
    CHECK(replay.live_bytes() == static_cast<std::uint64_t>(active_at(snapshot, memory, m)));
    std::uint64_t reserved = 0;
    for (const SegmentSpan& span : memory.segments) reserved += span.is_held(m) ? span.size : 0;
    CHECK(replay.reserved_bytes() == reserved);
  }
  for (std::size_t m = 0; m <= count; ++m) {
    replay.go_to(m);
    CHECK(std::pair(replay.live_bytes(), replay.reserved_bytes()) == backward[m]);
  }
  CHECK(active_over_time(snapshot, memory).back() == memory.active_at_end);
}

TEST_CASE("an expandable segment is mapped in parts") {
  const MemorySnapshot snapshot =
      snapshot_of(event_opcodes("segment_map", 4096, 2048, 1) + event_opcodes("segment_map", 6144, 2048, 2) +
                      event_opcodes("segment_map", 8192, 1024, 3) + event_opcodes("segment_unmap", 8192, 1024, 4),
                  block_opcodes(4096, 4096, "inactive"));
  const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
  CHECK(memory.unmatched == 0);
  AllocatorReplay replay(memory);
  std::vector<std::uint64_t> reserved;
  for (Moment m = 0; m <= 4; ++m) {
    replay.go_to(m);
    reserved.push_back(replay.reserved_bytes());
  }
  CHECK(reserved == std::vector<std::uint64_t>{0, 2048, 4096, 5120, 4096});
}

TEST_CASE("parts that are mapped and unmapped at random, block by block at every moment") {
  std::mt19937 random(24);
  constexpr std::uint64_t kBlock = 512, kBlocks = 8;  // of the segment of the snapshot
  for (int round = 0; round < 80; ++round) {
    std::vector<std::vector<bool>> mapped(1);
    for (std::uint64_t b = 0; b < kBlocks; ++b) mapped[0].push_back(random() % 2 == 0);
    std::string events;
    int time = 0;
    const auto change = [&](std::uint64_t first, std::uint64_t last, bool is_map) {
      events += event_opcodes(is_map ? "segment_map" : "segment_unmap", 4096 + kBlock * first, kBlock * (last - first),
                              ++time);
      mapped.push_back(mapped.back());
      for (std::uint64_t b = first; b < last; ++b) mapped.back()[b] = is_map;
    };
    for (int i = 0; i < 20 || mapped.back() != std::vector<bool>(kBlocks, true); ++i) {
      // A stretch of blocks that are alike, or a part of it; in the end all is mapped, as in the snapshot.
      const std::uint64_t first = random() % kBlocks;
      const bool is_map = !mapped.back()[first];
      if (i >= 20 && !is_map) continue;
      std::uint64_t last = first + 1;
      while (last < kBlocks && mapped.back()[last] == !is_map && random() % 4 != 0) ++last;
      change(first, last, is_map);
    }
    const MemorySnapshot snapshot = snapshot_of(events, block_opcodes(4096, 4096, "inactive"));
    const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
    CHECK(memory.unmatched == 0);
    AllocatorReplay replay(memory);
    for (Moment m = 0; m < mapped.size(); ++m) {
      CAPTURE(round);
      CAPTURE(m);
      std::uint64_t reserved = 0;
      for (std::uint64_t b = 0; b < kBlocks; ++b) {
        const std::uint64_t address = 4096 + kBlock * b;
        std::size_t holding = 0;
        for (const SegmentSpan& span : memory.segments)
          holding += span.is_held(m) && span.address <= address && address < span.address + span.size;
        CHECK(holding == (mapped[m][b] ? 1 : 0));
        reserved += mapped[m][b] ? kBlock : 0;
      }
      replay.go_to(m);
      CHECK(replay.reserved_bytes() == reserved);
    }
  }
}

TEST_CASE("out of memory: why no block fitted") {
  const std::string blocks = block_opcodes(4096, 1024, "inactive") + block_opcodes(5120, 1024, "active_allocated") +
                             block_opcodes(6144, 2048, "inactive");
  const auto cause = [&](std::uint64_t device_free, std::uint64_t asked) {
    const MemorySnapshot snapshot = snapshot_of(event_opcodes("oom", device_free, asked, 1), blocks);
    const DeviceMemory memory = replay_device(snapshot, snapshot.devices[0]);
    const auto ooms = explain_out_of_memory(snapshot, memory);
    REQUIRE(ooms.size() == 1);
    CHECK(ooms[0].state.reserved == 4096);
    CHECK(ooms[0].state.free_bytes == 3072);
    CHECK(ooms[0].state.largest_free == 2048);
    CHECK(ooms[0].sentences.size() >= 3);
    return std::string(out_of_memory_key(ooms[0].cause));
  };
  CHECK(cause(100, 2560) == "fragmented");
  CHECK(cause(1024, 3584) == "cached");
  CHECK(cause(100, 3584) == "held");
  CHECK(cause(100, 100'000) == "tooLarge");
  CHECK(cause(10'000, 4096) == "limited");
}

}  // namespace
}  // namespace lacuna
