#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lacuna {

/// The limits of a process's control groups, and their effects since the last reading.
struct CgroupReading {
  std::optional<double> quota_cores;  ///< average CPUs; nothing without a quota
  std::optional<double> held_back;    ///< throttled fraction of the quota's periods since the last reading
  std::uint64_t killed = 0;           ///< processes that the kernel killed for the memory limit since the last reading
};

/// Reads the CPU quota and the memory limit's events of a process's cgroup, version 2 or 1: of the group itself
/// and its visible ancestors, using the tightest quota. One thread at a time.
class CgroupMeter {
 public:
  /// `root`: replaces /, for tests.
  explicit CgroupMeter(std::string root = {}) : root_(std::move(root)) {}

  CgroupReading read(int pid);

 private:
  struct Quota {
    double cores = 0;
    std::uint64_t periods = 0, throttled = 0;
  };
  void find_groups(int pid);
  std::optional<Quota> read_quota(const std::string& folder) const;

  std::string root_;
  bool is_v2_ = false;
  std::string cpu_, cpu_top_;  // folder of the group, and of its outermost ancestor that is read
  std::string memory_;
  std::optional<std::string> tightest_;  // the group of the numbers in `last_`
  Quota last_;
  std::optional<std::uint64_t> last_killed_;
};

}  // namespace lacuna
