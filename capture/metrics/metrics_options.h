#pragma once

namespace lacuna {

/// What is read of the machine beside a recording: GPUs through NVML, the host through /proc.
struct MetricsOptions {
  bool gpus = true;
  bool host = true;
  unsigned per_second = 20;  ///< looks at the GPUs; at the host at most kMostHostLooks
  unsigned counters_per_second =
      0;  ///< samples of the GPUs' performance monitors, where gpus is set; 0: they are left to others
  bool is_set() const { return gpus || host; }
};

/// Samples of performance monitors where nothing else is said, and the most that can be asked for.
inline constexpr unsigned kUsualCounters = 200;
inline constexpr unsigned kMostCounters = 5000;
/// The kernel counts CPU time in hundredths of a second: shorter looks at it would say little.
inline constexpr unsigned kMostHostLooks = 4;

}  // namespace lacuna
