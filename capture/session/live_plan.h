#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "capture/metrics/metrics_options.h"
#include "capture/sampling/sampling_options.h"
#include "capture/session/step_filter.h"
#include "model/base/time.h"

namespace lacuna {

/// How much of a recording is kept: everything, or its newest part. Events are dropped in
/// parts of an eighth of the limit, so up to that much more is kept than was asked for.
struct KeepLimit {
  Nanos last_ns = 0;               ///< time kept; 0 = no limit
  std::uint64_t memory_bytes = 0;  ///< 0 = no limit; size of the model, as estimated by kBytesPerEvent
  /// The memory of an event while it is shown: its record (48), and its place in the trace shown and in the
  /// next one (37 each for ranges, tests/bench/live_bench.cpp; about twice with launches and arrows).
  static constexpr std::uint64_t kBytesPerEvent = 256;
  bool is_set() const { return last_ns > 0 || memory_bytes > 0; }
  bool operator==(const KeepLimit&) const = default;
};

/// What to launch or wake, and what to capture of it.
struct LivePlan {
  int process = 0;  ///< > 0: pid of a dormant program, woken with its descendants; nothing is launched
  std::vector<std::string> arguments;                          ///< program first
  std::string directory;                                       ///< empty = ours
  std::vector<std::pair<std::string, std::string>> variables;  ///< set for the target
  bool nvtx = true;
  bool cuda = true;
  bool torch = true;
  bool shapes = false;
  bool allocator = false;
  bool memory = false;
  bool whole_graphs = false;
  bool verbose = false;
  std::uint32_t ring_kib = 0;
  StepSchedule schedule;
  std::string step_range;     ///< name of the ranges that are the steps; empty: steps as the program marks them
  Nanos step_every = 0;       ///< length of a step; 0: the program marks steps
  bool waits_for_all = true;  ///< continues while processes that the command left behind are captured
  SamplingOptions sampling;
  MetricsOptions metrics;
  KeepLimit keep;
};

}  // namespace lacuna
