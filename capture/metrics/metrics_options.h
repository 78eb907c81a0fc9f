#pragma once

namespace lacuna {

/// The metrics of the machine that are recorded: GPUs through NVML, the host through /proc.
struct MetricsOptions {
  bool gpus = true;
  bool host = true;
  unsigned per_second = 20;  ///< readings of the GPUs; of the host at most kMostHostLooks
  unsigned counters_per_second =
      0;  ///< samples of the GPUs' performance monitors, if gpus is set; 0: leave them to others
  bool is_set() const { return gpus || host; }
};

/// Default sampling rate of performance monitors, and the maximum.
inline constexpr unsigned kUsualCounters = 200;
inline constexpr unsigned kMostCounters = 5000;
/// The kernel counts CPU time in hundredths of a second: more frequent readings would be inaccurate.
inline constexpr unsigned kMostHostLooks = 4;

}  // namespace lacuna
