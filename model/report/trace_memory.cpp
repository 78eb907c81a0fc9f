#include "model/report/trace_memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/base/seeded_hash.h"
#include "model/formats/chrome/json_text.h"
#include "model/import/bulk_arguments.h"
#include "model/trace/operators_at.h"

namespace lacuna {
namespace {

template <class T>
T whole_bytes(std::string_view token) {
  const std::string_view text = token_content(token);
  T value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// c10::DeviceType: CUDA, HIP, XPU, PrivateUse1.
bool is_of_gpu(std::int64_t device_type) {
  return device_type == 1 || device_type == 6 || device_type == 12 || device_type == 20;
}

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// The records of one device, one after the other.
class DeviceRecords {
 public:
  DeviceRecords(OperatorsAt& operators, TraceMemory& memory) : operators_(operators), memory_(memory) {}

  void take(const MemoryRecord& record) {
    if (record.is_out_of_memory) {
      memory_.out_of_memory.push_back(memory_.times.size());
      memory_.out_of_memory_bytes.push_back(record.bytes);
      return;
    }
    if (memory_.times.empty() && record.has_allocated) {
      memory_.has_totals = true;
      memory_.at_start = wrapped_sum(record.allocated, wrapped_sum(0, -record.bytes));
    }
    const std::int64_t before = memory_.active.empty() ? memory_.at_start : memory_.active.back();
    std::int64_t now = wrapped_sum(before, record.bytes);
    if (!record.has_allocated || record.allocated != now) now = wrapped_sum(now, -end_lost(record));
    memory_.totals_unlike += record.has_allocated && record.allocated != now;
    memory_.times.push_back(record.time);
    memory_.active.push_back(now);
    memory_.reserved.push_back(record.has_reserved        ? record.reserved
                               : memory_.reserved.empty() ? 0
                                                          : memory_.reserved.back());
    if (record.has_reserved) {
      ++memory_.reserved_records;
      memory_.peak_reserved = std::max(memory_.peak_reserved, record.reserved);
    }
    // Files of 2021 have no addresses: the latest of the same size is taken.
    const std::uint64_t key = record.has_address ? record.address : static_cast<std::uint64_t>(std::abs(record.bytes));
    if (record.bytes > 0) {
      TraceAllocation allocation;
      allocation.address = record.address;
      allocation.bytes = record.bytes;
      allocation.begin = record.time;
      allocation.end = std::numeric_limits<Nanos>::max();
      allocation.track = record.track;
      allocation.by = operators_.at(record.track, record.time);
      allocation.begin_record = static_cast<std::uint32_t>(memory_.times.size());
      held_[key].push_back(memory_.allocations.size());
      memory_.allocations.push_back(allocation);
    } else if (record.bytes < 0) {
      const auto found = held_.find(key);
      if (found == held_.end() || found->second.empty()) {
        ++memory_.frees_unmatched;
        return;
      }
      TraceAllocation& allocation = memory_.allocations[found->second.back()];
      found->second.pop_back();
      allocation.end = record.time;
      allocation.end_record = static_cast<std::uint32_t>(memory_.times.size());
      allocation.freed_by = operators_.at(record.track, record.time);
    }
  }

 private:
  /// Ends what is still held where something is allocated, unless the file's total has both: its free is not in the
  /// file. Returns its bytes.
  std::int64_t end_lost(const MemoryRecord& record) {
    if (record.bytes <= 0 || !record.has_address) return 0;
    const auto found = held_.find(record.address);
    if (found == held_.end() || found->second.empty()) return 0;
    TraceAllocation& allocation = memory_.allocations[found->second.back()];
    found->second.pop_back();
    allocation.end = record.time;
    allocation.end_record = static_cast<std::uint32_t>(memory_.times.size() + 1);
    ++memory_.frees_lost;
    return allocation.bytes;
  }

  OperatorsAt& operators_;
  TraceMemory& memory_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>, SeededHash> held_;
};

}  // namespace

std::size_t TraceMemory::peak() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i <= active.size(); ++i)
    if (active_after(i) > active_after(best)) best = i;
  return best;
}

Result<std::vector<MemoryRecord>> read_memory_records(const Trace& trace, SourceId source, unsigned threads) {
  const StringId memory = trace.strings().find("[memory]");
  const StringId out_of_memory = trace.strings().find("[OutOfMemory]");
  std::vector<MemoryRecord> records;
  for (const Track& track : trace.tracks()) {
    if (trace.process(track.process).source != source) continue;
    for (const Instant& instant : track.instants) {
      const bool is_out = out_of_memory.valid() && instant.name == out_of_memory;
      if (!is_out && (!memory.valid() || instant.name != memory)) continue;
      MemoryRecord record;
      record.offset = instant.file_offset;
      record.time = instant.time;
      record.track = track.id;
      record.is_out_of_memory = is_out;
      records.push_back(record);
    }
  }
  if (records.empty()) return records;
  std::ranges::sort(records, {}, &MemoryRecord::offset);
  constexpr std::array<std::string_view, 6> kKeys{"Bytes",           "Device Type",    "Device Id",
                                                  "Total Allocated", "Total Reserved", "Addr"};
  std::vector<std::uint64_t> offsets(records.size());
  std::ranges::transform(records, offsets.begin(), &MemoryRecord::offset);
  const auto read = read_arguments_in_parallel(trace.sources()[source.value], offsets, kKeys, threads,
                                               [&](std::size_t k, std::span<const std::string_view> values) {
                                                 MemoryRecord& record = records[k];
                                                 record.bytes = whole_bytes<std::int64_t>(values[0]);
                                                 record.is_gpu = is_of_gpu(whole_bytes<std::int64_t>(values[1]));
                                                 record.device =
                                                     record.is_gpu ? whole_bytes<std::int64_t>(values[2]) : -1;
                                                 record.has_allocated = !values[3].empty();
                                                 record.allocated = whole_bytes<std::int64_t>(values[3]);
                                                 record.has_reserved = !values[4].empty();
                                                 record.reserved = whole_bytes<std::int64_t>(values[4]);
                                                 record.has_address = !values[5].empty();
                                                 record.address = whole_bytes<std::uint64_t>(values[5]);
                                               });
  if (!read) return tl::make_unexpected(read.error());
  std::ranges::stable_sort(records, {}, &MemoryRecord::time);
  return records;
}

Result<std::vector<TraceMemory>> read_trace_memory(const Trace& trace, SourceId source, unsigned threads) {
  std::vector<TraceMemory> devices;
  const auto records = read_memory_records(trace, source, threads);
  if (!records) return tl::make_unexpected(records.error());
  // The GPUs first, by their numbers, then the memory of the CPU.
  std::map<std::pair<bool, std::int64_t>, std::vector<MemoryRecord>> by_device;
  for (const MemoryRecord& record : *records) by_device[{!record.is_gpu, record.device}].push_back(record);
  OperatorsAt operators(trace);
  devices.reserve(by_device.size());
  for (const auto& [key, of_device] : by_device) {
    TraceMemory& memory = devices.emplace_back();
    memory.is_gpu = !key.first;
    memory.device = key.second;
    DeviceRecords device(operators, memory);
    for (const MemoryRecord& record : of_device) device.take(record);
  }
  return devices;
}

}  // namespace lacuna
