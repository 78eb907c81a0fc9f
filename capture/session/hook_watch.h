#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// Looks now and then at the processes that a command starts, and notes what keeps the collector or the PyTorch hook
/// out of them. It tells what it saw and nothing that it did not: a process that lived between two looks is not
/// known. One thread.
class HookWatch {
 public:
  /// `root`: the command. `socket` and `python_hook` (empty: not used) are what its processes should have in their
  /// environment.
  HookWatch(int root, std::string socket, std::string python_hook);
  /// Every round: looks when it is time to, often at first and then at a thousandth of a thread's time.
  void look(Nanos now);
  /// Processes seen.
  std::size_t seen() const { return processes_.size(); }
  /// What kept us out, a line for each cause, naming processes. `captured`: who was captured all the same;
  /// `with_torch`: where the PyTorch hook was at work.
  std::vector<std::string> reasons(const std::vector<std::uint32_t>& captured,
                                   const std::vector<std::uint32_t>& with_torch) const;

 private:
  struct Seen {
    std::string name;
    std::int64_t user = -1;
    bool knows_environment = false;
    bool has_socket = false;
    bool has_other_socket = false;  // of a recording inside of this one
    bool has_hook_path = false;
    std::string python_switch;  ///< "-I": Python was told to leave our hook out
    bool is_elsewhere = false;  ///< another mount namespace
    bool is_ours = false;       ///< the compiler that our hook runs
    bool has_torch = false;
    bool has_collector = false;
  };
  void examine(int pid, Seen& seen) const;

  int root_;
  std::string socket_;
  std::string python_hook_;
  std::map<std::pair<int, std::uint64_t>, Seen> processes_;  // by pid and start
  Nanos due_ = 0;
  int looks_ = 0;
};

/// The switch of a Python command line that keeps sitecustomize or PYTHONPATH out: -I, -E, -S, or one that holds them
/// such as -Ic; empty where there is none, or no Python. What follows the script is the script's.
std::string python_isolation(const std::vector<std::string>& arguments);

}  // namespace lacuna
