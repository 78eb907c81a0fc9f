#include "model/memory/allocation_history.h"

#include <algorithm>
#include <array>

#include "model/base/cancel.h"
#include "model/base/number_map.h"

namespace lacuna {
namespace {

/// The allocator keeps blocks up to 1 MiB in segments of this size (kSmallBuffer, CUDACachingAllocator.cpp).
constexpr std::uint64_t kSmallSegment = std::uint64_t{2} << 20;

std::uint32_t after(std::size_t event) {
  return static_cast<std::uint32_t>(event + 1);
}

/// Pairs each alloc with its free.
class AllocationReplay {
 public:
  AllocationReplay(const MemorySnapshot& snapshot, DeviceMemory& memory) : snapshot_(snapshot), memory_(memory) {}

  void take(std::size_t i, const AllocatorEvent& event) {
    switch (event.action()) {
      case AllocatorAction::kAlloc:
        if (const std::uint32_t old = held_.find(event.address); old != NumberMap::kNone) {
          ++memory_.unmatched;  // its free was lost
          memory_.allocations[old].end = after(i);
        }
        held_.put(event.address, add(event, after(i), event.stack));
        return;
      case AllocatorAction::kFreeRequested:
        memory_.allocations[held_at(event)].requested = after(i);
        return;
      case AllocatorAction::kFreeCompleted: {
        Allocation& allocation = memory_.allocations[held_at(event)];
        if (allocation.requested == Allocation::kNever) allocation.requested = after(i);
        allocation.end = after(i);
        held_.erase(event.address);
        return;
      }
      default:
        return;
    }
  }

  /// Adds what was there all the time.
  void finish() {
    NumberMap blocks;
    for (const AllocatorSegment& segment : snapshot_.segments) {
      if (segment.device != memory_.history->device) continue;
      for (std::uint32_t b = segment.first_block; b < segment.first_block + segment.block_count; ++b) {
        const AllocatorBlock& block = snapshot_.blocks[b];
        if (!block.is_live()) continue;
        blocks.put(block.address, b);
        if (const std::uint32_t known = held_.find(block.address); known != NumberMap::kNone) {
          if (memory_.allocations[known].stack == 0) memory_.allocations[known].stack = block.stack;
          memory_.allocations[known].block = block.size;
          continue;
        }
        memory_.allocations.push_back(
            {.address = block.address, .size = block.size, .block = block.size, .stack = block.stack});
      }
    }
    held_.for_each(
        [&](std::uint64_t address, std::uint32_t) { memory_.unmatched += blocks.find(address) == NumberMap::kNone; });
  }

 private:
  std::uint32_t add(const AllocatorEvent& event, std::uint32_t begin, std::uint32_t stack) {
    memory_.allocations.push_back({.address = event.address, .size = event.size, .begin = begin, .stack = stack});
    return static_cast<std::uint32_t>(memory_.allocations.size() - 1);
  }
  /// What is freed; memory without an alloc in the history was there before.
  std::uint32_t held_at(const AllocatorEvent& event) {
    std::uint32_t found = held_.find(event.address);
    if (found == NumberMap::kNone) {
      found = add(event, Allocation::kBefore, 0);
      held_.put(event.address, found);
    }
    return found;
  }

  const MemorySnapshot& snapshot_;
  DeviceMemory& memory_;
  NumberMap held_;
};

/// From the final segments backwards: each event is undone.
void replay_segments(const MemorySnapshot& snapshot, DeviceMemory& memory) {
  const DeviceHistory& history = *memory.history;
  std::multimap<std::uint64_t, std::uint32_t> held;  // address: index into memory.segments
  const auto add = [&](const SegmentSpan& span) {
    held.emplace(span.address, static_cast<std::uint32_t>(memory.segments.size()));
    memory.segments.push_back(span);
  };
  for (const AllocatorSegment& segment : snapshot.segments) {
    if (segment.device != history.device) continue;
    SegmentSpan span{.address = segment.address, .size = segment.total_size, .stream = segment.stream};
    span.stack = segment.stack;
    span.is_small = snapshot.text(segment.type) == "small";
    span.is_expandable = segment.is_expandable;
    span.is_private = segment.pool[0] != 0 || segment.pool[1] != 0;
    add(span);
  }
  // Undoes that [begin, end) was taken from the driver: what lies in it begins at `moment`. An expandable segment
  // is mapped in parts, so a span may be cut.
  const auto undo_taken = [&](const AllocatorEvent& event, std::uint32_t moment) {
    const std::uint64_t begin = event.address;
    const std::uint64_t end = begin + event.size;
    auto at = held.upper_bound(begin);
    if (at != held.begin()) --at;
    bool found = false;
    while (at != held.end() && at->first < end) {
      const SegmentSpan whole = memory.segments[at->second];
      const std::uint64_t whole_end = whole.address + whole.size;
      if (whole_end <= begin) {
        ++at;
        continue;
      }
      found = true;
      const std::uint32_t index = at->second;
      at = held.erase(at);
      SegmentSpan part = whole;
      part.address = std::max(begin, whole.address);
      part.size = std::min(end, whole_end) - part.address;
      part.begin = moment;
      if (part.stack == 0) part.stack = event.stack;
      memory.segments[index] = part;
      if (whole.address < begin) {
        SegmentSpan left = whole;
        left.size = begin - whole.address;
        add(left);
      }
      if (whole_end > end) {
        SegmentSpan right = whole;
        right.address = end;
        right.size = whole_end - end;
        add(right);
        at = held.upper_bound(begin);
      }
    }
    memory.unmatched += !found;
  };
  for (std::size_t i = history.event_count; i-- > 0;) {
    const AllocatorEvent& event = snapshot.event(history, i);
    const bool is_piecewise = event.is(AllocatorAction::kSegmentMap) || event.is(AllocatorAction::kSegmentUnmap);
    if (event.is(AllocatorAction::kSegmentAlloc) || event.is(AllocatorAction::kSegmentMap)) {
      undo_taken(event, after(i));
    } else if (event.is(AllocatorAction::kSegmentFree) || event.is(AllocatorAction::kSegmentUnmap)) {
      SegmentSpan span{.address = event.address, .size = event.size, .stream = event.stream(), .end = after(i)};
      span.is_small = event.size <= kSmallSegment;
      span.is_expandable = is_piecewise;
      add(span);
    }
  }
}

}  // namespace

DeviceMemory sum_device(const MemorySnapshot& snapshot, const DeviceHistory& history) {
  DeviceMemory memory;
  memory.history = &history;
  std::uint64_t live = 0;  // unsigned: sums of hostile sizes wrap
  for (const AllocatorSegment& segment : snapshot.segments) {
    if (segment.device != history.device) continue;
    memory.reserved_at_end += segment.total_size;
    for (std::uint32_t b = segment.first_block; b < segment.first_block + segment.block_count; ++b)
      if (snapshot.blocks[b].is_live()) live += snapshot.blocks[b].size;
  }
  std::array<std::uint64_t, 256> counts{};
  std::vector<std::uint8_t> order;
  std::uint64_t change = 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < history.event_count; ++i) {
    const AllocatorEvent& event = snapshot.event(history, i);
    if (counts[event.action_code()]++ == 0) order.push_back(event.action_code());
    if (event.is(AllocatorAction::kAlloc)) change += event.size;
    if (event.is(AllocatorAction::kFreeCompleted)) change -= event.size;
    if (static_cast<std::int64_t>(change) > most) {
      most = static_cast<std::int64_t>(change);
      memory.peak = i + 1;
    }
  }
  for (const std::uint8_t code : order)
    memory.actions.emplace_back(snapshot.text(snapshot.actions[code]), counts[code]);
  memory.active_at_end = static_cast<std::int64_t>(live);
  memory.active_at_start = static_cast<std::int64_t>(live - change);
  memory.peak_active = static_cast<std::int64_t>(live - change + static_cast<std::uint64_t>(most));
  memory.peak_time_us = time_of(snapshot, history, memory.peak);
  if (history.event_count == 0) return memory;
  memory.first_us = snapshot.event(history, 0).time_us;
  memory.last_us = snapshot.event(history, history.event_count - 1).time_us;
  return memory;
}

DeviceMemory replay_device(const MemorySnapshot& snapshot, const DeviceHistory& history,
                           const std::atomic<bool>* cancel) {
  DeviceMemory memory = sum_device(snapshot, history);
  std::uint64_t count = 0;
  for (const auto& [action, times] : memory.actions)
    if (action == "alloc") count = times;
  memory.allocations.reserve(count + 1024);
  AllocationReplay replay(snapshot, memory);
  CancelCheck is_cancelled(cancel);
  for (std::size_t i = 0; i < history.event_count; ++i) {
    replay.take(i, snapshot.event(history, i));
    if (is_cancelled()) return memory;
  }
  replay.finish();
  replay_segments(snapshot, memory);
  return memory;
}

std::vector<std::int64_t> active_over_time(const MemorySnapshot& snapshot, const DeviceMemory& memory) {
  const DeviceHistory& history = *memory.history;
  std::vector<std::int64_t> values(history.event_count + 1);
  auto now = static_cast<std::uint64_t>(memory.active_at_start);
  values[0] = memory.active_at_start;
  for (std::size_t i = 0; i < history.event_count; ++i) {
    const AllocatorEvent& event = snapshot.event(history, i);
    if (event.is(AllocatorAction::kAlloc)) now += event.size;
    if (event.is(AllocatorAction::kFreeCompleted)) now -= event.size;
    values[i + 1] = static_cast<std::int64_t>(now);
  }
  return values;
}

std::int64_t active_at(const MemorySnapshot& snapshot, const DeviceMemory& memory, Moment moment) {
  const DeviceHistory& history = *memory.history;
  auto now = static_cast<std::uint64_t>(memory.active_at_start);
  for (std::size_t i = 0; i < std::min(moment, history.event_count); ++i) {
    const AllocatorEvent& event = snapshot.event(history, i);
    if (event.is(AllocatorAction::kAlloc)) now += event.size;
    if (event.is(AllocatorAction::kFreeCompleted)) now -= event.size;
  }
  return static_cast<std::int64_t>(now);
}

Moment moment_at(const MemorySnapshot& snapshot, const DeviceHistory& history, std::int64_t time_us) {
  // Threads write events, so times need not ascend everywhere: the last one that is not later counts.
  for (std::size_t i = history.event_count; i > 0; --i)
    if (snapshot.event(history, i - 1).time_us <= time_us) return i;
  return 0;
}

std::int64_t time_of(const MemorySnapshot& snapshot, const DeviceHistory& history, Moment moment) {
  if (history.event_count == 0) return 0;
  return snapshot.event(history, moment == 0 ? 0 : std::min(moment, history.event_count) - 1).time_us;
}

AllocatorReplay::AllocatorReplay(const DeviceMemory& memory) : memory_(memory) {
  const auto note = [&](const auto& spans, bool is_segment) {
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      if (spans[i].begin != Allocation::kBefore) changes_.push_back({spans[i].begin, i, is_segment, true});
      if (spans[i].end != Allocation::kNever) changes_.push_back({spans[i].end, i, is_segment, false});
      if (spans[i].end == Allocation::kNever) apply({0, i, is_segment, true}, true);
    }
  };
  note(memory.allocations, false);
  note(memory.segments, true);
  // What ends with an event makes room for what begins with it.
  std::ranges::stable_sort(changes_, [](const Change& a, const Change& b) {
    return a.moment != b.moment ? a.moment < b.moment : a.is_begin < b.is_begin;
  });
  next_ = changes_.size();
  moment_ = memory.history->event_count;
}

void AllocatorReplay::apply(const Change& change, bool begins) {
  auto& held = change.is_segment ? segments_ : live_;
  std::uint64_t& bytes = change.is_segment ? reserved_bytes_ : live_bytes_;
  const std::uint64_t address =
      change.is_segment ? memory_.segments[change.index].address : memory_.allocations[change.index].address;
  const std::uint64_t size =
      change.is_segment ? memory_.segments[change.index].size : memory_.allocations[change.index].size;
  if (begins) {
    held.emplace(address, change.index);
    bytes += size;
    return;
  }
  const auto [first, last] = held.equal_range(address);
  for (auto at = first; at != last; ++at) {
    if (at->second != change.index) continue;
    held.erase(at);
    bytes -= size;
    return;
  }
}

void AllocatorReplay::go_to(Moment moment) {
  for (; next_ < changes_.size() && changes_[next_].moment <= moment; ++next_)
    apply(changes_[next_], changes_[next_].is_begin);
  for (; next_ > 0 && changes_[next_ - 1].moment > moment; --next_)
    apply(changes_[next_ - 1], !changes_[next_ - 1].is_begin);
  moment_ = moment;
}

}  // namespace lacuna
