#pragma once

#include <atomic>
#include <cstdint>

namespace lacuna {

/// Ends a query early: when it is cancelled, or has used up its steps. SQLite's virtual machine checks
/// at intervals, and so does any long operation between two steps. One thread, except for the flags.
class QueryLimits {
 public:
  /// Call before a query: `cancel` (may be null) must outlive it; `most_steps` 0: no limit.
  void start(const std::atomic<bool>* cancel, std::uint64_t most_steps) {
    cancel_ = cancel;
    is_cancelled_ = false;
    most_steps_ = most_steps;
    steps_ = 0;
  }
  /// Call from any thread.
  /// The flag that tables poll; updated from start()'s `cancel` at each check.
  const std::atomic<bool>& is_cancelled() const { return is_cancelled_; }

  bool wants_stop() {
    if (cancel_ != nullptr && *cancel_) is_cancelled_ = true;
    return is_cancelled_;
  }
  bool is_too_long() const { return most_steps_ != 0 && steps_ >= most_steps_; }
  std::uint64_t steps() const { return steps_; }
  /// Counts `steps` (of about 10 ns each) done or to be done; false: the query must end.
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
