#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// Periodically inspects the processes that a command starts, and notes what keeps the collector or the PyTorch hook
/// out of them. Reports only what it saw: processes that live between two inspections are
/// missed. One thread.
class HookWatch {
 public:
  /// `root`: pid of the command. `socket` and `python_hook` (empty: not used) are expected in the environment of its
  /// processes.
  HookWatch(int root, std::string socket, std::string python_hook);
  /// Call every round: inspects when it is due, often at first, later using a thousandth of a thread's time.
  void look(Nanos now);
  /// The number of processes seen.
  std::size_t seen() const { return processes_.size(); }
  /// Returns why processes were not captured, one line for each cause, naming them. `captured`: processes that were;
  /// `with_torch`: processes in which the PyTorch hook was active.
  std::vector<std::string> reasons(const std::vector<std::uint32_t>& captured,
                                   const std::vector<std::uint32_t>& with_torch) const;

 private:
  struct Seen {
    std::string name;
    std::int64_t user = -1;
    bool knows_environment = false;
    bool has_socket = false;
    bool has_other_socket = false;  // the socket of a recording nested in this one
    bool has_hook_path = false;
    std::string python_switch;  ///< "-I": Python was told to leave our hook out
    bool is_elsewhere = false;  ///< it is in another mount namespace
    bool is_ours = false;       ///< it is the compiler that our hook runs
    bool has_torch = false;
    bool has_collector = false;
  };
  void examine(int pid, Seen& seen) const;

  int root_;
  std::string socket_;
  std::string python_hook_;
  std::map<std::pair<int, std::uint64_t>, Seen> processes_;  // by pid and start time
  Nanos due_ = 0;
  int looks_ = 0;
};

/// Returns the switch of a Python command line that disables sitecustomize or PYTHONPATH: -I, -E, -S, or one that
/// includes them such as -Ic; empty when there is none, or no Python. Arguments after the script are ignored.
std::string python_isolation(const std::vector<std::string>& arguments);

}  // namespace lacuna
