#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/metrics/cgroup_meter.h"

namespace lacuna {

/// One reading of the host and of a program. Rates are averages since the last reading; empty at the first one, or if
/// /proc does not provide them.
struct HostReading {
  std::optional<double> busy_cores;      ///< of the whole machine
  std::vector<double> core_percent;      ///< busy time by core; empty at the first reading
  std::optional<double> memory_bytes;    ///< in use: total minus available
  std::optional<double> received, sent;  ///< bytes per second in the program's network namespace, without loopback
  std::optional<double> program_cores;   ///< CPU time of the program's processes
  std::optional<double> program_bytes;   ///< sum of resident sizes; shared pages count for each process
  std::optional<double> program_read, program_written;  ///< bytes a second, to and from disks
  std::optional<double> faults, disk_faults;            ///< page faults per second of the program, minor and major
  CgroupReading cgroup;                                 ///< of the program's first process
};

/// Reads /proc. One thread at a time.
class HostMeter {
 public:
  /// `now` in CLOCK_MONOTONIC ns; `pids`: the program's processes, the first of them known longest.
  HostReading read(std::uint64_t now, const std::vector<int>& pids);

 private:
  struct Core {
    std::uint64_t busy = 0, all = 0;  // ticks
  };
  struct Used {
    std::uint64_t ticks = 0, read = 0, written = 0, faults = 0, disk_faults = 0;
  };
  void read_cores(HostReading& reading);
  void read_network(double seconds, int pid, HostReading& reading);
  void read_program(double seconds, const std::vector<int>& pids, HostReading& reading);

  std::uint64_t last_ = 0;
  std::vector<Core> cores_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> network_;
  std::map<int, Used> used_;
  CgroupMeter cgroup_;
};

}  // namespace lacuna
