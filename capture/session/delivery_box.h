#pragma once

#include <condition_variable>
#include <mutex>

#include "capture/session/live_source.h"

namespace lacuna {

/// Where a capture thread leaves what it has for the one thread that consumes it: the next delivery, which grows until
/// it is taken, and the state that goes with it.
class DeliveryBox {
 public:
  /// Says whose state it is; to be called before anything else.
  void start(int pid);

  // The capture thread.
  /// Adds a batch to the next delivery without announcing it.
  void add(EventBatch batch);
  /// `fill(LiveDelivery&, LiveSource::Status&)` completes the delivery; who waits for one is woken.
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

  /// The consumer's thread: waits for something new, at most `timeout_ms`. False when there is nothing.
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
