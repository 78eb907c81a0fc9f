#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace lacuna {

/// Something that is computed from a trace when it is first asked for, and kept as long as the trace.
class KeptWithTrace {
 public:
  virtual ~KeptWithTrace() = default;
  /// Held now. Any thread may ask.
  virtual std::size_t memory_bytes() const = 0;
};

/// A trace's place for one of them. The trace need not know its type, which lies above it.
class KeptPlace {
 public:
  /// Returns what is kept and makes it on the first call. Any thread; all callers ask for the same type.
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
  mutable std::mutex mutex_;  // memory_bytes() may ask while it is made
  std::unique_ptr<KeptWithTrace> kept_;
};

}  // namespace lacuna
