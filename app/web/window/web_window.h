#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/graphics_options.h"
#include "app/gui/shell/frame_observer.h"
#include "app/web/wire/page_link.h"

namespace lacuna {

/// One window of the user interface without a screen: ImGui's draw data is sent to a page. Runs a
/// thread of its own, also while no page shows it, so that a page that reconnects finds the same view.
///
/// Dear ImGui has one current context per process, so windows draw in turn (a frame takes some
/// milliseconds); loading, computing and sending run in parallel.
class WebWindow {
 public:
  /// `observer` may be null. `offer_download(path)` returns the id of a download.
  WebWindow(const WindowOptions& options, std::string id, std::unique_ptr<FrameObserver> observer,
            std::function<std::string(const std::string&)> offer_download);
  ~WebWindow();
  WebWindow(const WebWindow&) = delete;
  WebWindow& operator=(const WebWindow&) = delete;

  const std::string& id() const { return id_; }

  // Any thread.
  /// Shows the window in this page; the page that showed it before is notified.
  void attach(std::shared_ptr<PageLink> link);
  void open(std::string path);
  /// False once the user closed it, or if it never opened.
  bool is_running() const { return is_running_; }
  bool has_page() const;
  /// Ends the window's program with this signal, stores settings and recordings, and ends.
  void stop(int signal);
  /// Why it did not open; empty: it did.
  std::string problem() const;

 private:
  class Loop;
  struct Inbox {
    std::mutex mutex;
    std::condition_variable news;
    bool is_woken = false;
    bool wants_frame = false;        ///< the window's contents may have changed
    std::shared_ptr<PageLink> link;  ///< the newest link, until the loop takes it
    std::vector<std::string> paths;
    int signal = -1;  ///< 0 or more: end the window
    std::string problem;
  };
  void wake(bool wants_frame);

  const std::string id_;
  mutable Inbox inbox_;
  std::atomic<bool> is_running_{true};
  std::atomic<bool> has_page_{false};
  const std::unique_ptr<FrameObserver> observer_;  ///< may be null; the loop calls it
  std::jthread thread_;
};

}  // namespace lacuna
