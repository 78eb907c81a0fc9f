#include "model/memory/fragmentation.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr std::uint64_t kBlockRounding = 512;                   // kMinBlockSize, CUDACachingAllocator.cpp
constexpr std::uint64_t kMostUnsplit = std::uint64_t{1} << 20;  // kSmallSize, should_split() there

std::uint64_t rounded(std::uint64_t size) {
  return size > ~kBlockRounding ? size : (size + kBlockRounding - 1) / kBlockRounding * kBlockRounding;
}

/// Bytes of an allocation's block, of the `room` to the next one or to its segment's end. The snapshot has the blocks
/// of what is held at its end. For others: of a large segment, the allocator splits nothing off up to kSmallSize.
std::uint64_t block_size(const Allocation& allocation, const SegmentSpan& segment, std::uint64_t room) {
  const std::uint64_t size = std::min(rounded(allocation.block != 0 ? allocation.block : allocation.size), room);
  const bool keeps_rest = allocation.block == 0 && size > kMostUnsplit && !segment.is_expandable;
  return keeps_rest && room - size <= kMostUnsplit ? room : size;
}

}  // namespace

AllocatorState state_of(const DeviceMemory& memory, const AllocatorReplay& replay, std::uint32_t stream) {
  AllocatorState state;
  state.moment = replay.moment();
  auto block = replay.live().begin();
  for (auto at = replay.segments().begin(); at != replay.segments().end();) {
    const SegmentSpan& span = memory.segments[at->second];
    // Parts of an expandable segment that touch are one range.
    std::uint64_t end = span.address + span.size;
    for (++at; at != replay.segments().end(); ++at) {
      const SegmentSpan& next = memory.segments[at->second];
      if (!span.is_expandable || !next.is_expandable || next.address != end || next.stream != span.stream) break;
      end += next.size;
    }
    const bool counts = stream == kAnyStream || span.stream == stream;
    while (block != replay.live().end() && block->first < span.address) ++block;
    std::uint64_t free_from = span.address;
    bool is_used = false;
    const auto add_free = [&](std::uint64_t until) {
      if (!counts || until <= free_from) return;
      state.free_bytes += until - free_from;
      state.largest_free = std::max(state.largest_free, until - free_from);
    };
    while (block != replay.live().end() && block->first < end) {
      is_used = true;
      add_free(block->first);
      const auto [address, index] = *block++;
      const std::uint64_t next = block != replay.live().end() ? std::min(block->first, end) : end;
      const std::uint64_t size = block_size(memory.allocations[index], span, next - address);
      if (counts) state.live += size;
      free_from = std::max(free_from, address + size);
    }
    add_free(end);
    if (!counts) continue;
    ++state.segment_count;
    state.reserved += end - span.address;
    if (!is_used) {
      ++state.unused_segments;
      state.unused_segment_bytes += end - span.address;
    }
  }
  return state;
}

std::vector<AllocatorState> states_over_time(const DeviceMemory& memory, std::size_t count) {
  std::vector<AllocatorState> states;
  const std::size_t events = memory.history->event_count;
  count = std::min(count, events + 1);
  AllocatorReplay replay(memory);
  for (std::size_t i = count; i-- > 0;) {
    replay.go_to(count < 2 ? events
                           : static_cast<Moment>(static_cast<double>(events) / static_cast<double>(count - 1) *
                                                 static_cast<double>(i)));
    states.push_back(state_of(memory, replay));
  }
  std::ranges::reverse(states);
  return states;
}

}  // namespace lacuna
