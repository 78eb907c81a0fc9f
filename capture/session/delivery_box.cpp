#include "capture/session/delivery_box.h"

#include <chrono>
#include <utility>

namespace lacuna {

void DeliveryBox::start(int pid) {
  const std::scoped_lock lock(mutex_);
  status_.pid = pid;
}

void DeliveryBox::add(EventBatch batch) {
  const std::scoped_lock lock(mutex_);
  next_.batches.push_back(std::move(batch));
}

LiveSource::Status DeliveryBox::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

bool DeliveryBox::take(LiveDelivery& delivery, int timeout_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return has_news_; });
  if (!std::exchange(has_news_, false)) return false;
  delivery = std::exchange(next_, LiveDelivery{});
  return true;
}

}  // namespace lacuna
