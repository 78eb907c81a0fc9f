#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "capture/sampling/state_lane.h"

namespace lacuna {

/// The contents of /proc/PID/task/TID/schedstat: times since the thread began.
struct ScheduleTimes {
  std::uint64_t running_ns = 0;
  std::uint64_t ready_ns = 0;  ///< runnable, but not running
  std::uint64_t turns = 0;     ///< number of times it was scheduled on a CPU
};
std::optional<ScheduleTimes> parse_schedstat(std::string_view text);

/// Returns the state of a thread between two readings `elapsed_ns` apart: the one with the most time. Other states in
/// between are invisible to this method.
StateLane::State state_between(const ScheduleTimes& before, const ScheduleTimes& now, std::uint64_t elapsed_ns);

/// Thread states for kernels without context switch events: from /proc, one per reading. `unseen()` counts the
/// switches in between, which are not shown. One thread at a time.
class ProcStates {
 public:
  /// Returns the state of a thread since its last reading; nothing at the first one, and after its end.
  std::optional<StateLane::State> look(int pid, int tid, std::uint64_t now);
  void forget(int tid) { threads_.erase(tid); }
  std::uint64_t unseen() const { return unseen_; }

 private:
  struct Thread {
    ScheduleTimes times;
    std::uint64_t looked = 0;
    StateLane::State state = StateLane::State::kUnknown;
  };
  std::unordered_map<int, Thread> threads_;
  std::uint64_t unseen_ = 0;
};

}  // namespace lacuna
