#pragma once

#include <atomic>
#include <cstdint>

namespace lacuna {

/// What ends a query early: it was cancelled, or it used up its steps. SQLite's machine asks
/// at intervals, and so does whatever takes long between two steps. One thread, but for the flags.
class QueryLimits {
 public:
  /// Before a query: `cancel` (may be null) outlives it; `most_steps` 0: any number.
  void start(const std::atomic<bool>* cancel, std::uint64_t most_steps) {
    cancel_ = cancel;
    is_cancelled_ = false;
    most_steps_ = most_steps;
    steps_ = 0;
  }
  /// From any thread.
  void interrupt() { is_cancelled_ = true; }
  /// What tables look at: as of the last look at what start() was given.
  const std::atomic<bool>& is_cancelled() const { return is_cancelled_; }

  bool wants_stop() {
    if (cancel_ != nullptr && *cancel_) is_cancelled_ = true;
    return is_cancelled_;
  }
  bool is_too_long() const { return most_steps_ != 0 && steps_ >= most_steps_; }
  std::uint64_t steps() const { return steps_; }
  /// `steps` (of some 10 ns) were or will be taken; false: the query has to end.
  bool spend(std::uint64_t steps) {
    steps_ += steps;
    return !wants_stop() && !is_too_long();
  }

 private:
  std::atomic<bool> is_cancelled_{false};
  const std::atomic<bool>* cancel_ = nullptr;
  std::uint64_t most_steps_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace lacuna
