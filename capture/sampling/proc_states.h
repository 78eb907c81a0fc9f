#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "capture/sampling/state_lane.h"

namespace lacuna {

/// What /proc/PID/task/TID/schedstat says: times since the thread began.
struct ScheduleTimes {
  std::uint64_t running_ns = 0;
  std::uint64_t ready_ns = 0;  ///< could run, and did not
  std::uint64_t turns = 0;     ///< how often it was put on a CPU
};
std::optional<ScheduleTimes> parse_schedstat(std::string_view text);

/// State of a thread between two looks `elapsed_ns` apart: what it did most. One of several in the time between is
/// all that this way of asking can see.
StateLane::State state_between(const ScheduleTimes& before, const ScheduleTimes& now, std::uint64_t elapsed_ns);

/// Thread states where the kernel gives no context switches: from /proc, one for each look. `unseen()` counts the
/// switches that came between and are not shown. One thread at a time.
class ProcStates {
 public:
  /// The state of a thread since the last look at it; nothing on the first, and when it is gone.
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
