#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/trace/trace.h"

namespace lacuna {

/// One [memory] or [OutOfMemory] record of profile_memory=True.
struct MemoryRecord {
  std::uint64_t offset = 0;  ///< in the file
  Nanos time = 0;
  TrackId track;  ///< the thread that recorded it
  std::uint64_t address = 0;
  std::int64_t bytes = 0;    ///< < 0: freed
  std::int64_t device = -1;  ///< index of the GPU; -1: the CPU
  std::int64_t allocated = 0;
  std::int64_t reserved = 0;
  bool is_gpu = false;
  bool has_address = false;
  bool has_allocated = false;
  bool has_reserved = false;
  bool is_out_of_memory = false;
};

/// Reads the records of one file, ascending by time. Errors: those of reading the args. About 1 us per record.
Result<std::vector<MemoryRecord>> read_memory_records(const Trace& trace, SourceId source, unsigned threads);

/// One allocation in a trace's [memory] records.
struct TraceAllocation {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  Nanos begin = 0;
  Nanos end = 0;                   ///< INT64_MAX if it is never freed
  TrackId track;                   ///< the thread that allocated
  SliceId by;                      ///< the innermost operator there at that time; invalid: none
  SliceId freed_by;                ///< the innermost operator of the free
  std::uint32_t begin_record = 0;  ///< number of the device's records up to this one, itself included
  std::uint32_t end_record = 0xffff'ffff;
};

/// Memory of one device, record by record.
struct TraceMemory {
  bool is_gpu = false;
  std::int64_t device = -1;  ///< -1: the CPU
  std::vector<Nanos> times;  ///< of the records, ascending
  std::vector<std::int64_t>
      active;  ///< bytes after each record: the running sum of Bytes without what was lost, plus `at_start`
  std::vector<std::int64_t> reserved;  ///< after each, "Total Reserved"; 0 before the first record that has it
  std::int64_t at_start = 0;           ///< what "Total Allocated" says was there before; 0 where it is not recorded
  bool has_totals = false;
  std::int64_t peak_reserved = 0;
  std::uint64_t reserved_records = 0;
  std::vector<std::uint64_t> out_of_memory;  ///< number of records before each [OutOfMemory]
  std::vector<std::int64_t> out_of_memory_bytes;
  std::vector<TraceAllocation> allocations;
  std::uint64_t frees_unmatched = 0;  ///< frees of memory allocated before the recording
  std::uint64_t frees_lost = 0;       ///< allocations where something was held, whose free is not in the file
  std::uint64_t totals_unlike = 0;    ///< records whose "Total Allocated" is not the running sum

  std::string name() const { return is_gpu ? "gpu:" + std::to_string(device) : "cpu"; }
  /// Returns the number of records up to the first that reaches the peak; 0 if the start is the peak.
  std::size_t peak() const;
  std::int64_t active_after(std::size_t records) const { return records == 0 ? at_start : active[records - 1]; }
};

/// Pairs the [memory] records of one file by address: one entry per device, GPUs first. Errors: those of reading
/// the args. About 2 us per record.
Result<std::vector<TraceMemory>> read_trace_memory(const Trace& trace, SourceId source, unsigned threads = 2);

}  // namespace lacuna
