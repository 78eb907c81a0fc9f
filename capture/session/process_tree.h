#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Facts about a process from /proc. The process may end at any time: then results are empty or false.
struct ProcessEntry {
  int pid = 0;
  int parent = 0;
  char state = '?';
  std::uint64_t start = 0;  ///< in clock ticks since boot: distinguishes processes that had the same pid
  std::string name;
  bool is_kernel = false;  ///< a kernel thread
};

/// Returns all processes in /proc. A few milliseconds for some hundred.
std::vector<ProcessEntry> all_processes();
/// Returns `root` and its descendants, as far as the chain of parents is unbroken.
std::vector<ProcessEntry> with_descendants(const std::vector<ProcessEntry>& all, int root);

/// Returns the initial environment, "NAME=value" each; nothing without permission.
std::optional<std::vector<std::string>> environment_of(int pid);
std::vector<std::string> arguments_of(int pid);
/// Returns the effective user id; -1 when the process has ended.
std::int64_t user_of(int pid);
/// Whether the process has mapped a file whose path contains `part`.
bool has_mapped(int pid, std::string_view part);
/// Whether a thread of the process waits for terminal input: in read() of a terminal, or in poll() or select() of its
/// standard input. False without permission of the kernel.
bool waits_for_terminal(int pid);

}  // namespace lacuna
