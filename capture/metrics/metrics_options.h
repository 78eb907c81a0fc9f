#pragma once

namespace lacuna {

/// What is read of the machine beside a recording: GPUs through NVML, the host through /proc.
struct MetricsOptions {
  bool gpus = true;
  bool host = true;
  unsigned per_second = 20;  ///< looks at the GPUs; at the host at most kMostHostLooks
  bool is_set() const { return gpus || host; }
};

/// The kernel counts CPU time in hundredths of a second: shorter looks at it would say little.
inline constexpr unsigned kMostHostLooks = 4;

}  // namespace lacuna
