#pragma once

#include <functional>
#include <thread>

namespace lacuna {

/// Catches SIGTERM, SIGHUP and SIGINT while it exists, so that the window can end its program and keep its recording
/// before it exits. A second signal ends the process at once. One object at a time.
class EndSignals {
 public:
  /// `wake` is called on another thread when a signal arrived.
  explicit EndSignals(std::function<void()> wake);
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  /// Returns the signal that arrived, or 0.
  static int received();

 private:
  std::jthread thread_;
};

}  // namespace lacuna
