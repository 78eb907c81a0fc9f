#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/gaps/gaps.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Counts that `lacuna info` shows, gathered once for its text and its JSON.
/// Histograms are sorted by count, largest first, then by name.
using Histogram = std::vector<std::pair<std::string, std::uint64_t>>;

/// Stands for "no cat" and "no ph" in histograms.
inline constexpr const char* kNoneGiven = "(none)";

/// Events by phase, over all files.
Histogram phase_histogram(const Trace& trace);
/// Events of every phase by category, over all files.
Histogram category_histogram(const Trace& trace);

/// Number of GPU activities that start more than kClockErrorNs before their launch, which is impossible. O(links).
std::uint64_t activities_before_launch(const Trace& trace);

/// The span of the trace without records that the profiler never filled: GPU activities of time 0 and duration 0,
/// farther from the rest than the rest is long. O(lanes + such records).
struct FilledSpan {
  TimeSpan span;
  std::uint64_t unfilled = 0;
};
FilledSpan filled_span(const Trace& trace);

/// One GPU: its deviceProperties and its activity.
struct DeviceFacts {
  SourceId source;
  std::string device;                            ///< ordinal
  const DeviceProperties* properties = nullptr;  ///< null when the file has none; borrowed
  std::optional<DeviceActivity> activity;        ///< nothing when no activity of it is in the trace
};
/// Devices that are described or active in `range`, by source and ordinal.
std::vector<DeviceFacts> device_facts(const Trace& trace, const FilledSpan& filled);

/// Models of the GPUs that were active, else of those described; each name once, joined by ", ".
std::string gpu_model(const std::vector<DeviceFacts>& devices);

}  // namespace lacuna
