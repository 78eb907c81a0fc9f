#pragma once

#include <functional>
#include <thread>

namespace lacuna {

/// Takes SIGTERM, SIGHUP and SIGINT while it lives, so that the window can end its program and keep its recording
/// before it goes. A second signal ends the process at once. One object at a time.
class EndSignals {
 public:
  /// `wake` is called on a thread when a signal has come.
  explicit EndSignals(std::function<void()> wake);
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  /// The signal that came, or 0.
  static int received();

 private:
  std::jthread thread_;
};

}  // namespace lacuna
