#pragma once

#include <atomic>

namespace lacuna {

/// Whether the caller of a long computation has cancelled it; null: it cannot be cancelled.
inline bool is_cancelled(const std::atomic<bool>* cancel) {
  return cancel != nullptr && cancel->load(std::memory_order_relaxed);
}

/// Reads the flag only once every so many calls, for loops of a few nanoseconds per round.
class CancelCheck {
 public:
  explicit CancelCheck(const std::atomic<bool>* cancel) : cancel_(cancel) {}
  bool operator()() { return (++rounds_ & 0x3fff) == 0 && is_cancelled(cancel_); }

 private:
  const std::atomic<bool>* cancel_;
  unsigned rounds_ = 0;
};

}  // namespace lacuna
