#pragma once

#include <atomic>

#include <signal.h>

namespace lacuna {

/// Catches the signals that `lacuna record` listens to while it lives: SIGINT, SIGTERM and SIGHUP (the terminal was
/// closed, the line to it broke) stop, SIGUSR1 takes what is kept. One at a time.
class RecordSignals {
 public:
  RecordSignals();
  ~RecordSignals();
  RecordSignals(const RecordSignals&) = delete;
  RecordSignals& operator=(const RecordSignals&) = delete;

  /// How often the user asked to stop so far.
  int stops() const;
  /// Set with the first of them: for what is cancelled by it.
  const std::atomic<bool>* stop_flag() const;
  /// Whether the terminal sent the last signal to the target as well.
  bool target_was_signalled() const;
  int snapshots() const;

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
  struct sigaction hang_up_ {};
  struct sigaction user_ {};
};

}  // namespace lacuna
