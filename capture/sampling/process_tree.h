#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

/// A program and all its descendants, read from /proc. A process once seen stays in the tree until it ends, also when
/// its parent has ended before it. One thread at a time.
class ProcessTree {
 public:
  struct Process {
    std::string name;        ///< /proc/PID/comm
    std::string program;     ///< the target of /proc/PID/exe
    bool is_new = false;     ///< new since the last update(), or has exec'd another program since
    bool is_helper = false;  ///< see is_helper()
  };

  /// Adds process `pid` and its descendants, from the next update() on.
  void add(int pid) { processes_.try_emplace(pid); }
  /// Reads /proc again.
  void update();
  const std::map<int, Process>& processes() const { return processes_; }

 private:
  std::map<int, Process> processes_;
};

/// Whether the process was started by the recording itself, like the compiler of the operator hook. Such a process and
/// its descendants are no part of the program.
bool is_helper(int pid);
/// Returns the thread ids of a process; empty when it has ended.
std::vector<int> threads_of(int pid);
/// Returns the first line of /proc/PID/task/TID/FILE; nothing when it cannot be read.
std::optional<std::string> thread_fact(int pid, int tid, const char* file);

}  // namespace lacuna
