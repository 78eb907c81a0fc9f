#include <algorithm>
#include <array>
#include <utility>

#include "model/formats/chrome/json_text.h"
#include "model/import/bulk_arguments.h"
#include "model/torch/torch_arguments.h"

namespace lacuna {
namespace {

std::int64_t number_or_zero(std::string_view token) {
  const std::string text(token_content(token));
  return text.empty() ? 0 : std::strtoll(text.c_str(), nullptr, 10);
}

/// c10::DeviceType, by profiler.py, _cpu_memory_usage() and _device_memory_usage().
bool is_cpu_memory(std::int64_t device_type) {
  return device_type == 0 || device_type == 2 || device_type == 5;  // CPU, MKLDNN, IDEEP
}
bool is_device_memory(std::int64_t device_type) {
  // CUDA, HIP, XPU, PrivateUse1
  return device_type == 1 || device_type == 6 || device_type == 12 || device_type == 20;
}

bool says_profiled(const TraceSource& source) {
  return std::ranges::any_of(source.metadata, [](const auto& entry) {
    return entry.first == "profile_memory" && entry.second != "0" && entry.second != "false";
  });
}

/// The records of one part, ascending by time.
Result<std::vector<TorchMemoryRecord>> read_records(const TorchEvents& events, std::uint32_t index, TimeSpan range,
                                                    unsigned threads) {
  const TorchEvents::Part& part = events.parts()[index];
  const Trace& trace = events.trace();
  const StringId memory = trace.strings().find("[memory]");
  const StringId out_of_memory = trace.strings().find("[OutOfMemory]");
  std::vector<std::pair<std::uint64_t, TorchMemoryRecord>> found;  // by offset
  for (const Track& track : trace.tracks()) {
    if (trace.process(track.process).source != part.source) continue;
    for (const Instant& instant : track.instants) {
      const bool is_memory = memory.valid() && instant.name == memory;
      const bool is_out = out_of_memory.valid() && instant.name == out_of_memory;
      if ((is_memory || is_out) && range.contains(instant.time))
        found.push_back({instant.file_offset, {saturating_sub(instant.time, part.origin), index, {}, is_out, false}});
    }
  }
  std::ranges::sort(found, {}, [](const auto& f) { return f.first; });
  std::vector<std::uint64_t> offsets(found.size());
  std::ranges::transform(found, offsets.begin(), [](const auto& f) { return f.first; });
  constexpr std::array<std::string_view, 2> kKeys{"Bytes", "Device Type"};
  const auto read = read_arguments_in_parallel(trace.sources()[part.source.value], offsets, kKeys, threads,
                                               [&](std::size_t k, std::span<const std::string_view> values) {
                                                 TorchMemoryRecord& record = found[k].second;
                                                 if (record.out_of_memory) return;
                                                 const std::int64_t device = number_or_zero(values[1]);
                                                 if (is_cpu_memory(device))
                                                   record.bytes.cpu = number_or_zero(values[0]);
                                                 if (is_device_memory(device))
                                                   record.bytes.device = number_or_zero(values[0]);
                                               });
  if (!read) return tl::make_unexpected(read.error());
  std::vector<TorchMemoryRecord> records(found.size());
  std::ranges::transform(found, records.begin(), [](const auto& f) { return f.second; });
  std::ranges::stable_sort(records, {}, &TorchMemoryRecord::time);
  return records;
}

}  // namespace

Result<TorchMemoryUse> read_torch_memory(const TorchEvents& events, TimeSpan range, unsigned threads) {
  TorchMemoryUse use;
  const Trace& trace = events.trace();
  for (std::uint32_t p = 0; p < events.parts().size(); ++p) {
    const TorchEvents::Part& part = events.parts()[p];
    auto records = read_records(events, p, range, threads);
    if (!records) return tl::make_unexpected(records.error());
    if (records->empty() && !says_profiled(trace.sources()[part.source.value])) continue;
    use.is_profiled = true;
    use.events.resize(events.size());

    // Sums of the first k records; only those that were freed or allocated count, not failures.
    std::vector<TorchMemory> sums(records->size() + 1);
    std::vector<Nanos> times(records->size());
    for (std::size_t k = 0; k < records->size(); ++k) {
      const TorchMemoryRecord& record = (*records)[k];
      times[k] = record.time;
      sums[k + 1] = {sums[k].cpu + record.bytes.cpu, sums[k].device + record.bytes.device};
    }
    std::vector<std::int32_t> covers(records->size() + 1, 0);  // +1 where an event starts to cover
    auto from = times.begin();                                 // starts ascend
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      if (is_on_gpu(events.kind(i))) continue;
      while (from != times.end() && *from < events.start(i)) ++from;
      // Few records lie in one event: doubling steps first.
      auto last = from;
      for (std::ptrdiff_t step = 1; last != times.end() && *last <= events.end(i); step *= 2)
        last += std::min(step, times.end() - last);
      const auto to = std::upper_bound(from, last, events.end(i));
      const auto a = static_cast<std::size_t>(from - times.begin());
      const auto b = static_cast<std::size_t>(to - times.begin());
      use.events[i] = {sums[b].cpu - sums[a].cpu, sums[b].device - sums[a].device};
      ++covers[a];
      --covers[b];
    }
    std::int32_t open = 0;
    for (std::size_t k = 0; k < records->size(); ++k) {
      open += covers[k];
      TorchMemoryRecord& record = (*records)[k];
      record.is_inside = open > 0;
      if (!record.is_inside || record.out_of_memory) use.outside.push_back(record);
    }
  }
  return use;
}

}  // namespace lacuna
