// What of an allocator's segments is free, against looking at each block of 512 bytes.
#include "model/memory/fragmentation.h"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

constexpr std::uint64_t kBlock = 512;

/// Each block of each segment looked for among all allocations. Segments are in the order of their addresses.
AllocatorState plain_state(const DeviceMemory& memory, std::uint32_t stream) {
  AllocatorState state;
  std::vector<bool> is_joined(memory.segments.size());
  for (std::size_t s = 0; s < memory.segments.size(); ++s) {
    const SegmentSpan& first = memory.segments[s];
    if (is_joined[s]) continue;
    std::uint64_t end = first.address + first.size;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t n = 0; n < memory.segments.size(); ++n) {
        const SegmentSpan& next = memory.segments[n];
        if (n == s || is_joined[n] || next.address != end || !first.is_expandable || !next.is_expandable ||
            next.stream != first.stream)
          continue;
        is_joined[n] = grows = true;
        end += next.size;
      }
    }
    if (stream != kAnyStream && first.stream != stream) continue;
    ++state.segment_count;
    state.reserved += end - first.address;
    std::uint64_t run = 0, live = 0;
    for (std::uint64_t at = first.address; at < end; at += kBlock) {
      const bool is_live = std::ranges::any_of(memory.allocations, [&](const Allocation& a) {
        return a.address >= first.address && a.address <= at && at < a.address + std::max<std::uint64_t>(a.size, 1);
      });
      live += is_live;
      run = is_live ? 0 : run + kBlock;
      state.largest_free = std::max(state.largest_free, run);
    }
    state.live += live * kBlock;
    state.free_bytes += end - first.address - live * kBlock;
    if (live > 0) continue;
    ++state.unused_segments;
    state.unused_segment_bytes += end - first.address;
  }
  return state;
}

TEST_CASE("free ranges of random segments, block by block") {
  std::mt19937 random(4);
  const auto roll = [&](std::uint32_t below) { return static_cast<std::uint64_t>(random() % below); };
  const DeviceHistory history;
  for (int round = 0; round < 500; ++round) {
    DeviceMemory memory;
    memory.history = &history;
    for (std::uint64_t at = kBlock * (1 + roll(3)); memory.segments.size() < 6;) {
      SegmentSpan segment{.address = at, .size = kBlock * (1 + roll(8)), .stream = static_cast<std::uint32_t>(roll(2))};
      segment.is_expandable = roll(2) == 0;
      at += segment.size;
      for (std::uint64_t from = segment.address; from < at; from += kBlock) {
        if (roll(3) != 0) continue;
        // Sizes are as the program asked for, and may say too much.
        const std::uint64_t blocks = 1 + roll(4);
        memory.allocations.push_back({.address = from, .size = blocks * kBlock - roll(512)});
        from += (blocks - 1) * kBlock;
        if (from >= at) memory.allocations.back().size += at - from - kBlock;  // of its segment alone
      }
      memory.segments.push_back(segment);
      at += roll(2) * kBlock;
    }
    DeviceMemory shuffled = memory;
    std::ranges::shuffle(shuffled.segments, random);
    const AllocatorReplay replay(shuffled);
    for (const std::uint32_t stream : {0u, 1u, kAnyStream}) {
      CAPTURE(round);
      CAPTURE(stream);
      const AllocatorState made = state_of(shuffled, replay, stream), plain = plain_state(memory, stream);
      CHECK(made.reserved == plain.reserved);
      CHECK(made.live == plain.live);
      CHECK(made.free_bytes == plain.free_bytes);
      CHECK(made.largest_free == plain.largest_free);
      CHECK(made.unused_segments == plain.unused_segments);
      CHECK(made.unused_segment_bytes == plain.unused_segment_bytes);
      CHECK(made.segment_count == plain.segment_count);
    }
  }
}

TEST_CASE("an allocation that says to be larger than its segment takes all of it, and no more") {
  const DeviceHistory history;
  DeviceMemory memory;
  memory.history = &history;
  memory.segments = {{.address = 4096, .size = 4096}, {.address = 16384, .size = 4096}};
  memory.allocations = {{.address = 5120, .size = ~std::uint64_t{0}}};
  const AllocatorState state = state_of(memory, AllocatorReplay(memory));
  CHECK(state.live == 3072);
  CHECK(state.free_bytes == 1024 + 4096);
  CHECK(state.largest_free == 4096);
  CHECK(state.unused_segments == 1);
}

TEST_CASE("a block takes what the allocator does not split off, and what the snapshot says") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  const DeviceHistory history;
  DeviceMemory memory;
  memory.history = &history;
  memory.segments = {{.address = 64 * kMiB, .size = 20 * kMiB}};
  memory.allocations = {{.address = 64 * kMiB, .size = 4 * kMiB}, {.address = 69 * kMiB, .size = 14 * kMiB}};
  const auto state = [&] { return state_of(memory, AllocatorReplay(memory)); };
  CHECK(state().live == 20 * kMiB);  // 1 MiB is left behind each
  CHECK(state().free_bytes == 0);
  memory.allocations[1].size -= 512;
  CHECK(state().free_bytes == kMiB + 512);
  memory.allocations[1].block = 14 * kMiB;
  CHECK(state().live == 19 * kMiB);
  CHECK(state().largest_free == kMiB);
  memory.allocations[0].block = 4 * kMiB;
  CHECK(state().free_bytes == 2 * kMiB);
  memory.allocations[0].block = memory.allocations[1].block = 0;
  memory.segments[0].is_expandable = true;  // there, 512 bytes are split off
  CHECK(state().free_bytes == 2 * kMiB + 512);
}

}  // namespace
}  // namespace lacuna
