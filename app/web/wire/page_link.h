#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/web/wire/page_events.h"

namespace lacuna {

/// Connects a connection, served by the server's thread, with the window that it shows, which has
/// a thread of its own. Any thread.
class PageLink {
 public:
  /// `send(bytes, is_text)` and `close(reason)` are called on any thread, and return at once.
  PageLink(std::function<void(std::string, bool)> send, std::function<void(std::string)> close)
      : send_(std::move(send)), close_(std::move(close)) {}

  // For the connection:
  /// Returns false if too many events wait for the window already, so that the connection should end.
  bool put(std::vector<PageEvent> events) {
    const std::lock_guard lock(mutex_);
    for (PageEvent& event : events) {
      text_bytes_ += event.text.size();
      waiting_.push_back(std::move(event));
    }
    if (waiting_.size() > kMostWaiting || text_bytes_ > kMostText) return false;
    if (wake_) wake_();
    return true;
  }
  void note_closed() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
    if (wake_) wake_();
  }

  // For the window:
  /// `wake` is called under a lock when there is something to take, so it must not call the link. May be empty.
  void on_news(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  std::vector<PageEvent> take() {
    const std::lock_guard lock(mutex_);
    text_bytes_ = 0;
    return std::exchange(waiting_, {});
  }
  bool is_open() const {
    const std::lock_guard lock(mutex_);
    return is_open_;
  }
  void send(std::string bytes) const { send_(std::move(bytes), false); }
  void send_text(std::string json) const { send_(std::move(json), true); }
  /// The page shows `reason` and does not reconnect by itself. At most 120 bytes.
  void close(std::string reason) const { close_(std::move(reason)); }

  static constexpr std::size_t kMostWaiting = 20'000;
  static constexpr std::size_t kMostText = std::size_t{8} << 20;

 private:
  const std::function<void(std::string, bool)> send_;
  const std::function<void(std::string)> close_;
  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::vector<PageEvent> waiting_;
  std::size_t text_bytes_ = 0;
  bool is_open_ = true;
};

}  // namespace lacuna
