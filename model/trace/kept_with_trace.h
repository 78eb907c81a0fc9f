#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace lacuna {

/// A value computed from a trace on first use, and kept as long as the trace.
class KeptWithTrace {
 public:
  virtual ~KeptWithTrace() = default;
  /// Bytes held now. Any thread.
  virtual std::size_t memory_bytes() const = 0;
};

/// A trace's slot for one such value. The trace need not know its type, which belongs to a higher layer.
class KeptPlace {
 public:
  /// Returns the value, making it on the first call. Any thread; all callers must use the same type.
  template <class Kept>
  Kept& get() {
    std::call_once(made_, [this] {
      const std::lock_guard lock(mutex_);
      kept_ = std::make_unique<Kept>();
    });
    return static_cast<Kept&>(*kept_);
  }
  std::size_t memory_bytes() const {
    const std::lock_guard lock(mutex_);
    return kept_ ? kept_->memory_bytes() : 0;
  }

 private:
  std::once_flag made_;
  mutable std::mutex mutex_;  // memory_bytes() may be called while it is made
  std::unique_ptr<KeptWithTrace> kept_;
};

}  // namespace lacuna
