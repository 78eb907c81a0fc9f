#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "model/trace/trace.h"

namespace lacuna {

/// Limits of the machine for a recorded program, from the counters that Lacuna takes with a recording. Unknown if a
/// file has none.
struct MachineLimits {
  std::size_t cores = 0;               ///< number of cores of the machine; 0: unknown
  std::optional<double> quota_cores;   ///< CPUs that the program's cgroup may use on average
  double throttled = 0;                ///< fraction of the quota's periods in which the program was throttled
  double program_cores = 0;            ///< CPUs that all processes of the program used; 0: unknown
  double faults_per_second = 0;        ///< page faults served without the disk, of all processes of the program
  double disk_faults_per_second = 0;   ///< page faults that waited for the disk: swap, mapped files
  double least_usable_cores() const {  ///< 0: unknown
    const auto all = static_cast<double>(cores);
    return !quota_cores ? all : cores == 0 ? *quota_cores : std::min(*quota_cores, all);
  }
};

/// Reads the means over the window. Read-only, any thread. O(samples of these counters).
MachineLimits read_machine_limits(const Trace& trace, SourceId source, TimeSpan window);

}  // namespace lacuna
