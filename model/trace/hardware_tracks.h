#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace lacuna {

// Hardware measurements of a GPU beside a recording are stored as counters of a separate process: other viewers show
// them as well. A counter's track is called "NAME · SERIES".

/// Pids from here on stand for hardware: above those of Linux, and of a recording's own GPU rows.
inline constexpr std::uint32_t kHardwarePid = 3'000'000'000;  ///< + index of the GPU in NVML
inline constexpr std::uint32_t kHostPid = 3'100'000'000;      ///< the machine
inline constexpr std::uint32_t kCoresPid = 3'100'000'001;     ///< its cores, one lane each

/// Whether a pid in a file is one of these artificial ones, which are not shown.
inline bool is_pid_of_hardware(std::string_view pid) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(pid.data(), pid.data() + pid.size(), number);
  return read.ec == std::errc{} && read.ptr == pid.data() + pid.size() && number >= kHardwarePid && number <= kCoresPid;
}

/// Name prefix of such a process: "Hardware of GPU 0: NVIDIA H100 80GB HBM3", with NVML's (nvidia-smi's) GPU number.
inline constexpr std::string_view kHardwareOf = "Hardware of ";

inline constexpr char kSmClockCounter[] = "SM clock";
inline constexpr char kSmClockSeries[] = "MHz";
inline constexpr char kGpuBusyCounter[] = "GPU busy";
inline constexpr char kGpuBusySeries[] = "%";
/// Reasons for a lower clock, one series each: 1 while the reason holds.
inline constexpr char kThrottledCounter[] = "Throttled";

/// Counters of the recorded program, in its first process: CPU time; its cgroup's quota, and how often the quota
/// throttled it; page faults. Means since the previous sample.
inline constexpr char kProgramCpuCounter[] = "CPU of the program";
inline constexpr char kProgramCpuSeries[] = "% of a core";
inline constexpr char kQuotaCounter[] = "CPU quota of the program";
inline constexpr char kQuotaSeries[] = "% of a core";
inline constexpr char kHeldBackSeries[] = "% of the periods held back";
inline constexpr char kFaultsCounter[] = "Page faults of the program";
inline constexpr char kFaultsSeries[] = "a second";
inline constexpr char kDiskFaultsSeries[] = "from disk, a second";

}  // namespace lacuna
