#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/memory/allocation_history.h"
#include "model/memory/fragmentation.h"

namespace lacuna {

/// One time that the allocator found no memory: what was asked, what there was, and why that did not do.
struct OutOfMemory {
  Moment moment = 0;  ///< before the event
  std::int64_t time_us = 0;
  std::uint64_t requested = 0;    ///< bytes
  std::uint64_t device_free = 0;  ///< bytes that the driver had left
  std::uint32_t stream = 0;       ///< index into MemorySnapshot::streams
  std::uint32_t stack = 0;        ///< who asked
  AllocatorState state;           ///< of the whole device
  AllocatorState on_stream;       ///< of the segments of its stream, which alone it can use

  enum class Cause : std::uint8_t {
    kFragmented,    ///< enough lies free in segments of its stream, but not in one range
    kOtherStreams,  ///< enough lies free, but in segments of other streams
    kCached,        ///< with what is cached and what the device has left it would fit
    kHeld,          ///< the program holds too much
    kTooLarge,      ///< more than everything that the device gives and the allocator holds
    kLimited        ///< the device had enough: a limit of the process, or memory of the driver
  };
  Cause cause = Cause::kHeld;
  std::vector<std::string> sentences;  ///< the explanation; the first says what happened
};

/// All of a device, in the order of its history.
std::vector<OutOfMemory> explain_out_of_memory(const MemorySnapshot& snapshot, const DeviceMemory& memory);

std::string_view out_of_memory_key(OutOfMemory::Cause cause);  ///< "fragmented", "otherStreams" …

/// "1.50 GiB", as PyTorch's own message writes sizes.
std::string describe_size(std::uint64_t bytes);

}  // namespace lacuna
