#pragma once

#include <cstdint>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Memory of one device over time, from the "[memory]" records of profile_memory=True.
struct MemoryTimeline {
  bool is_gpu = false;
  std::int64_t device = 0;              ///< index of the GPU; -1 for the CPU
  std::vector<Nanos> times;             ///< ascending
  std::vector<std::int64_t> allocated;  ///< bytes after times[i]
  std::vector<std::int64_t> reserved;   ///< bytes reserved by the caching allocator; empty: not recorded
  /// Whether the file has "Total Allocated". If not (files of 2021), `allocated` is the running sum of
  /// the records, without memory allocated before the recording.
  bool is_absolute = false;
  std::size_t peak = 0;   ///< index of the highest `allocated`, the first if several are equal
  SliceId peak_operator;  ///< the innermost operator on the recording thread at the peak
  std::int64_t peak_reserved = 0;
  std::uint64_t allocations = 0;
  std::uint64_t out_of_memory = 0;  ///< "[OutOfMemory]" records, on any device
};

/// Reads one timeline per device, GPUs first, each by index. Errors: those of reading the args.
/// About 1 us per record, on `threads` threads.
Result<std::vector<MemoryTimeline>> read_memory_timelines(const Trace& trace, SourceId source, unsigned threads = 2);

}  // namespace lacuna
