#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// What /proc says of a process. Any call here may find it gone: then what is asked for is empty or false.
struct ProcessEntry {
  int pid = 0;
  int parent = 0;
  char state = '?';
  std::uint64_t start = 0;  ///< in clock ticks since boot: tells two lives of a pid apart
  std::string name;
  bool is_kernel = false;  ///< a thread of the kernel
};

/// All processes that /proc shows. A few milliseconds for some hundred.
std::vector<ProcessEntry> all_processes();
/// `root` and what it and its children started, as far as the chain of parents is unbroken.
std::vector<ProcessEntry> with_descendants(const std::vector<ProcessEntry>& all, int root);

/// "NAME=value" of the process's start; nothing where we may not look.
std::optional<std::vector<std::string>> environment_of(int pid);
std::vector<std::string> arguments_of(int pid);
/// The effective user; -1 when the process is gone.
std::int64_t user_of(int pid);
/// Whether a file is mapped whose path has `part` in it.
bool has_mapped(int pid, std::string_view part);
/// Whether a thread of the process waits for input from a terminal: in read() of one, or in poll() or select() of its
/// standard input. False where the kernel does not let us look.
bool waits_for_terminal(int pid);

}  // namespace lacuna
