#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

/// A program and everything that it started, as /proc shows them. What was once seen stays until it ends, also when it
/// was left behind by its parent. One thread at a time.
class ProcessTree {
 public:
  struct Process {
    std::string name;        ///< /proc/PID/comm
    std::string program;     ///< where /proc/PID/exe leads
    bool is_new = false;     ///< not there at the last update(), or another program by exec since
    bool is_helper = false;  ///< see is_helper()
  };

  /// From the next update() on, `pid` belongs to it, with what it starts.
  void add(int pid) { processes_.try_emplace(pid); }
  /// Looks again.
  void update();
  const std::map<int, Process>& processes() const { return processes_; }

 private:
  std::map<int, Process> processes_;
};

/// Was the process started for the recording itself, as the compiler of the operator hook is? It is no part of the
/// program then, nor is what it starts.
bool is_helper(int pid);
/// Threads of a process; empty when it is gone.
std::vector<int> threads_of(int pid);
/// First line of /proc/PID/task/TID/FILE, nothing when it cannot be read.
std::optional<std::string> thread_fact(int pid, int tid, const char* file);

}  // namespace lacuna
