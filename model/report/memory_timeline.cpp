#include "model/report/memory_timeline.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "model/base/stable_sort.h"
#include "model/formats/chrome/json_text.h"
#include "model/import/bulk_arguments.h"
#include "model/trace/operators_at.h"

namespace lacuna {
namespace {

struct Record {
  std::uint64_t offset = 0;
  Nanos time = 0;
  TrackId track;
  std::int64_t bytes = 0;
  std::int64_t device_type = 0;
  std::int64_t device = -1;
  std::int64_t allocated = 0;
  std::int64_t reserved = 0;
  bool has_allocated = false;
  bool has_reserved = false;
  bool is_out_of_memory = false;
};

std::int64_t number(std::string_view token) {
  const std::string_view text = token_content(token);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// c10::DeviceType: CUDA, HIP, XPU, PrivateUse1.
bool is_gpu_memory(std::int64_t device_type) {
  return device_type == 1 || device_type == 6 || device_type == 12 || device_type == 20;
}

std::vector<Record> find_records(const Trace& trace, SourceId source) {
  const StringId memory = trace.strings().find("[memory]");
  const StringId out_of_memory = trace.strings().find("[OutOfMemory]");
  std::vector<Record> records;
  if (!memory.valid() && !out_of_memory.valid()) return records;
  for (const Track& track : trace.tracks()) {
    if (trace.process(track.process).source != source) continue;
    for (const Instant& instant : track.instants) {
      const bool is_out = out_of_memory.valid() && instant.name == out_of_memory;
      if (!is_out && (!memory.valid() || instant.name != memory)) continue;
      Record record;
      record.offset = instant.file_offset;
      record.time = instant.time;
      record.track = track.id;
      record.is_out_of_memory = is_out;
      records.push_back(record);
    }
  }
  std::ranges::sort(records, {}, &Record::offset);
  return records;
}

Result<void> read_memory_records(const TraceSource& source, std::vector<Record>& records, unsigned threads) {
  constexpr std::array<std::string_view, 5> kKeys{"Bytes", "Device Type", "Device Id", "Total Allocated",
                                                  "Total Reserved"};
  std::vector<std::uint64_t> offsets(records.size());
  std::ranges::transform(records, offsets.begin(), &Record::offset);
  return read_arguments_in_parallel(source, offsets, kKeys, threads,
                                    [&](std::size_t k, std::span<const std::string_view> values) {
                                      Record& record = records[k];
                                      record.bytes = number(values[0]);
                                      record.device_type = number(values[1]);
                                      record.device = number(values[2]);
                                      record.has_allocated = !values[3].empty();
                                      record.allocated = number(values[3]);
                                      record.has_reserved = !values[4].empty();
                                      record.reserved = number(values[4]);
                                    });
}

}  // namespace

Result<std::vector<MemoryTimeline>> read_memory_timelines(const Trace& trace, SourceId source, unsigned threads) {
  std::vector<MemoryTimeline> timelines;
  std::vector<Record> records = find_records(trace, source);
  if (records.empty()) return timelines;
  if (const auto read = read_memory_records(trace.sources()[source.value], records, threads); !read)
    return tl::make_unexpected(read.error());
  std::ranges::stable_sort(records, {}, &Record::time);

  std::vector<TrackId> peak_tracks;
  for (const Record& record : records) {
    const bool is_gpu = is_gpu_memory(record.device_type);
    const std::int64_t device = is_gpu ? record.device : -1;
    auto found = std::ranges::find_if(
        timelines, [&](const MemoryTimeline& t) { return t.is_gpu == is_gpu && t.device == device; });
    if (found == timelines.end()) {
      found = timelines.emplace(found);
      found->is_gpu = is_gpu;
      found->device = device;
      found->is_absolute = record.has_allocated;
      peak_tracks.emplace_back();
    }
    if (record.is_out_of_memory) {
      ++found->out_of_memory;
      continue;
    }
    const std::int64_t before = found->allocated.empty() ? 0 : found->allocated.back();
    std::int64_t now = 0;
    if (found->is_absolute)
      now = record.allocated;
    else if (__builtin_add_overflow(before, record.bytes, &now))
      now = before;
    found->allocations += record.bytes > 0;
    found->times.push_back(record.time);
    found->allocated.push_back(now);
    if (record.has_reserved) {
      found->reserved.resize(found->times.size() - 1, found->reserved.empty() ? 0 : found->reserved.back());
      found->reserved.push_back(record.reserved);
      found->peak_reserved = std::max(found->peak_reserved, record.reserved);
    }
    TrackId& track = peak_tracks[static_cast<std::size_t>(found - timelines.begin())];
    if (found->times.size() == 1 || now > found->allocated[found->peak]) {
      found->peak = found->times.size() - 1;
      track = record.track;
    }
  }
  OperatorsAt operators(trace);
  for (std::size_t t = 0; t < timelines.size(); ++t) {
    MemoryTimeline& timeline = timelines[t];
    if (!timeline.reserved.empty()) timeline.reserved.resize(timeline.times.size(), timeline.reserved.back());
    if (!timeline.times.empty()) timeline.peak_operator = operators.at(peak_tracks[t], timeline.times[timeline.peak]);
  }
  sort_stably(timelines, [](const MemoryTimeline& a, const MemoryTimeline& b) {
    return a.is_gpu != b.is_gpu ? a.is_gpu : a.device < b.device;
  });
  return timelines;
}

}  // namespace lacuna
