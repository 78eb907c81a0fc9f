#pragma once

#include <atomic>

#include <signal.h>

namespace lacuna {

/// Catches the signals that `lacuna record` listens to while it lives: SIGINT, SIGTERM and SIGHUP (the terminal was
/// closed, its connection broke) stop the recording, SIGUSR1 saves a snapshot. One object at a time.
class RecordSignals {
 public:
  RecordSignals();
  ~RecordSignals();
  RecordSignals(const RecordSignals&) = delete;
  RecordSignals& operator=(const RecordSignals&) = delete;

  /// How often the user asked to stop so far.
  int stops() const;
  /// Becomes true with the first of them; for work that it cancels.
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
