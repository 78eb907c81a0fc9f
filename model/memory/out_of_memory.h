#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/memory/allocation_history.h"
#include "model/memory/fragmentation.h"

namespace lacuna {

/// An out-of-memory event of the allocator: the request, the memory at that time, and why it did not suffice.
struct OutOfMemory {
  Moment moment = 0;  ///< the moment before the event
  std::int64_t time_us = 0;
  std::uint64_t requested = 0;    ///< bytes
  std::uint64_t device_free = 0;  ///< bytes that the driver had left
  std::uint32_t stream = 0;       ///< index into MemorySnapshot::streams
  std::uint32_t stack = 0;        ///< stack of the request
  AllocatorState state;           ///< of the whole device
  AllocatorState on_stream;       ///< state of the segments of the request's stream, the only ones it can use

  enum class Cause : std::uint8_t {
    kFragmented,    ///< enough is free in segments of its stream, but not contiguous
    kOtherStreams,  ///< enough is free, but in segments of other streams
    kCached,        ///< it would fit into cached plus free device memory
    kHeld,          ///< the program holds too much
    kTooLarge,      ///< more than the device's free and the allocator's reserved memory together
    kLimited        ///< the device had enough: a limit of the process, or memory of the driver
  };
  Cause cause = Cause::kHeld;
  std::vector<std::string> sentences;  ///< the explanation; the first says what happened
};

/// Returns all out-of-memory events of a device, in the order of its history.
std::vector<OutOfMemory> explain_out_of_memory(const MemorySnapshot& snapshot, const DeviceMemory& memory);

std::string_view out_of_memory_key(OutOfMemory::Cause cause);  ///< "fragmented", "otherStreams" …

/// Formats a size like PyTorch's own message: "1.50 GiB".
std::string describe_size(std::uint64_t bytes);

}  // namespace lacuna
