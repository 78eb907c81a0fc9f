#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/web/window/web_window.h"
#include "app/web/wire/page_host.h"

namespace lacuna {

/// The windows of a server: one per page. A window whose page disconnected waits for it to return, after a broken
/// connection, a sleeping laptop or a reload. Any thread.
class WebWindows : public PageHost {
 public:
  /// All windows open `options`; if these name a recording, the first window shows it and opens at once.
  WebWindows(WindowOptions options, MakeFrameObserver observe);
  ~WebWindows() override;

  void connect(std::shared_ptr<PageLink> link, const std::string& window) override;
  std::optional<std::string> place_for(const std::string& name) override;
  bool uploaded(const std::string& window, const std::string& path) override;
  std::optional<std::string> take_download(const std::string& id) override;

  /// Returns how long no page has been connected; 0 while one is.
  std::chrono::seconds lonely_for();
  /// Why the first window did not open; empty: it did.
  std::string problem() const { return first_->problem(); }
  /// Ends all windows, and their programs with this signal.
  void stop(int signal);

  static constexpr std::size_t kMostWindows = 16;

 private:
  std::string offer_download(const std::string& path);
  std::shared_ptr<WebWindow> make_window(WindowOptions options);
  /// Returns false if there are too many. Removed windows go to `gone`, to be destroyed (joined) without the lock.
  bool make_room(std::vector<std::shared_ptr<WebWindow>>& gone);

  std::mutex mutex_;
  WindowOptions options_;
  const MakeFrameObserver observe_;
  int made_ = 0;
  std::shared_ptr<WebWindow> first_;
  bool is_first_taken_ = false;
  std::vector<std::shared_ptr<WebWindow>> windows_;  // most recently used last
  std::map<std::string, std::string> downloads_;     // paths by id
  std::string uploads_;                              // a private folder; empty: not created yet
  std::chrono::steady_clock::time_point last_page_ = std::chrono::steady_clock::now();
};

}  // namespace lacuna
