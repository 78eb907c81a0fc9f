#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lacuna {

/// What the control groups of a process allow it, and how that held it back since the last look.
struct CgroupReading {
  std::optional<double> quota_cores;  ///< CPUs on average; nothing without a quota
  std::optional<double> held_back;    ///< part of the quota's periods since the last look; nothing at the first one
  std::uint64_t killed = 0;           ///< processes that the kernel killed for the memory limit since the last look
};

/// Reads the CPU quota and the memory limit's events of a process's cgroup, of version 2 or 1: of the group itself
/// and those around it, as far as they can be seen, the tightest quota. One thread at a time.
class CgroupMeter {
 public:
  /// `root`: in place of /, for tests.
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
  std::string cpu_, cpu_top_;  // the group's folder, and the outermost that is looked at
  std::string memory_;
  std::optional<std::string> tightest_;  // whose numbers `last_` are
  Quota last_;
  std::optional<std::uint64_t> last_killed_;
};

}  // namespace lacuna
