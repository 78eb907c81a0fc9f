#include "model/report/memory_timeline.h"

#include <algorithm>

#include "model/base/stable_sort.h"
#include "model/report/trace_memory.h"
#include "model/trace/operators_at.h"

namespace lacuna {
Result<std::vector<MemoryTimeline>> read_memory_timelines(const Trace& trace, SourceId source, unsigned threads) {
  std::vector<MemoryTimeline> timelines;
  const auto records = read_memory_records(trace, source, threads);
  if (!records) return tl::make_unexpected(records.error());
  std::vector<TrackId> peak_tracks;
  for (const MemoryRecord& record : *records) {
    auto found = std::ranges::find_if(
        timelines, [&](const MemoryTimeline& t) { return t.is_gpu == record.is_gpu && t.device == record.device; });
    if (found == timelines.end()) {
      found = timelines.emplace(found);
      found->is_gpu = record.is_gpu;
      found->device = record.device;
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
