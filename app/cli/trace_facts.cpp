#include "app/cli/trace_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/base/natural_order.h"
#include "model/base/stable_sort.h"
#include "model/report/report.h"

namespace lacuna {
namespace {

void sort_by_count(Histogram& histogram) {
  std::ranges::sort(histogram, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

std::string phase_name(std::size_t byte) {
  if (byte == 0) return kNoneGiven;
  if (byte < 0x20 || byte >= 0x7F) return fmt::format("\\x{:02x}", byte);
  return std::string(1, static_cast<char>(byte));
}

}  // namespace

Histogram phase_histogram(const Trace& trace) {
  Histogram histogram;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint64_t count = 0;
    for (const TraceSource& source : trace.sources()) count += source.phase_counts[byte];
    if (count > 0) histogram.emplace_back(phase_name(byte), count);
  }
  sort_by_count(histogram);
  return histogram;
}

Histogram category_histogram(const Trace& trace) {
  Histogram histogram;
  for (const Category& category : trace.categories())
    if (category.events > 0) histogram.emplace_back(trace.text(category.name), category.events);
  std::uint64_t without = 0;
  for (const TraceSource& source : trace.sources()) without += source.without_category;
  if (without > 0) histogram.emplace_back(kNoneGiven, without);
  sort_by_count(histogram);
  return histogram;
}

FilledSpan filled_span(const Trace& trace) {
  FilledSpan filled{TimeSpan::nothing(), 0};
  Nanos last_unfilled = INT64_MIN;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kGpuStream) {
      filled.span = filled.span.unite(track.span);
      continue;
    }
    const Nanos zero = trace.sources()[trace.process(track.process).source.value].shift_ns;
    for (const Lane& lane : trace.lanes_of(track)) {
      std::uint32_t first = 0;
      while (first < lane.size() && lane.start(first) == zero && lane.duration(first) == 0) ++first;
      if (first > 0) last_unfilled = std::max(last_unfilled, zero);
      filled.unfilled += first;
      if (first < lane.size()) filled.span = filled.span.unite({lane.start(first), lane.end(lane.size() - 1)});
    }
  }
  const bool is_far = filled.unfilled > 0 && filled.span.begin <= filled.span.end &&
                      saturating_sub(filled.span.begin, last_unfilled) > filled.span.duration();
  return is_far ? filled : FilledSpan{trace.span(), 0};
}

std::vector<DeviceFacts> device_facts(const Trace& trace, const FilledSpan& filled) {
  // Open at the end, where something of no length may be.
  const TimeSpan range{filled.unfilled == 0 ? kMinNanos : filled.span.begin, kMaxNanos};
  std::vector<DeviceFacts> facts;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s)
    for (const DeviceProperties& device : trace.sources()[s].devices)
      facts.push_back({SourceId{s}, device.id, &device, std::nullopt});
  for (const DeviceActivity& activity : analyze_devices(trace, {.range = range})) {
    const std::string_view device = trace.text(activity.device);
    auto found = std::ranges::find_if(
        facts, [&](const DeviceFacts& f) { return f.source == activity.source && f.device == device && !f.activity; });
    if (found == facts.end()) found = facts.insert(facts.end(), {activity.source, std::string(device), nullptr, {}});
    found->activity = activity;
  }
  sort_stably(facts, [](const DeviceFacts& a, const DeviceFacts& b) {
    return a.source != b.source ? a.source < b.source : natural_less(a.device, b.device);
  });
  return facts;
}

std::string gpu_model(const std::vector<DeviceFacts>& devices) {
  std::vector<std::string> names;
  for (const bool active_only : {true, false}) {
    for (const DeviceFacts& device : devices) {
      if (device.properties == nullptr || device.properties->name.empty()) continue;
      if (active_only && !device.activity) continue;
      if (std::ranges::find(names, device.properties->name) == names.end()) names.push_back(device.properties->name);
    }
    if (!names.empty()) break;
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::uint64_t activities_before_launch(const Trace& trace) {
  return static_cast<std::uint64_t>(std::ranges::count_if(trace.links().launches(), [&](const LaunchLink& link) {
    return trace.span(link.activity).begin < saturating_sub(trace.span(link.launch).begin, kClockErrorNs);
  }));
}

}  // namespace lacuna
