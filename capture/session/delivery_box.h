#pragma once

#include <condition_variable>
#include <mutex>

#include "capture/session/live_source.h"

namespace lacuna {

/// Hands deliveries from a capture thread to the one thread that consumes them: the next delivery grows until
/// it is taken; the status belongs to it.
class DeliveryBox {
 public:
  /// Sets the pid of the status; call it before anything else.
  void start(int pid);

  // The capture thread.
  /// Adds a batch to the next delivery without announcing it.
  void add(EventBatch batch);
  /// `fill(LiveDelivery&, LiveSource::Status&)` completes the delivery; then a waiting consumer is woken.
  template <class Fill>
  void put(Fill&& fill) {
    {
      const std::scoped_lock lock(mutex_);
      fill(next_, status_);
      has_news_ = true;
    }
    changed_.notify_all();
  }

  /// Any thread.
  LiveSource::Status status() const;

  /// For the consumer's thread: waits for a delivery, at most `timeout_ms`. False when there is none.
  bool take(LiveDelivery& delivery, int timeout_ms);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  LiveDelivery next_;
  bool has_news_ = false;
  LiveSource::Status status_;
};

}  // namespace lacuna
