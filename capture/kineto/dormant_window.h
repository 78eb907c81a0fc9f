#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "capture/kineto/job_plan.h"
#include "model/export/claimed_file.h"

namespace lacuna {

class TraceRecorder;

/// A recording window of a dormant program: wakes it and its child processes, records them on a thread of its own, and
/// lets them sleep again. A window by time waits, awake, for begin_at(), so that several begin at the same time; one by
/// steps begins with the next step. All calls: any thread.
class DormantWindow {
 public:
  struct Progress {
    JobProgress::State state = JobProgress::State::kWaking;
    std::string words;
    std::string file;
    std::uint64_t bytes = 0;
    bool is_ready = false;  ///< awake, with PyTorch's operators hooked: begin_at() may be called
  };

  /// Begins waking. `patience`: limit for hooking its operators, and for its next step to begin.
  DormantWindow(RunningJob job, const KinetoRequest& request, ClaimedFile claim, std::chrono::milliseconds patience);
  /// Ends a running window; one that was not stopped before leaves no new files.
  ~DormantWindow();
  DormantWindow(const DormantWindow&) = delete;
  DormantWindow& operator=(const DormantWindow&) = delete;

  Progress progress() const;
  /// Sets the CLOCK_MONOTONIC time at which the window begins. Call once.
  void begin_at(std::uint64_t monotonic_ns) { begin_ns_ = monotonic_ns; }
  /// Ends the window now; the events so far are written.
  void stop() { is_stopped_ = true; }

 private:
  void run(ClaimedFile claim);
  /// Returns what went wrong; empty: nothing, or an error that finish() of the recorder will return.
  std::string record(TraceRecorder& recorder);
  bool waits_for_operators() const;
  std::string remarks(const TraceRecorder& recorder) const;
  template <class Change>
  void change(Change&& change) {
    const std::scoped_lock lock(mutex_);
    change(progress_);
  }

  const RunningJob job_;
  const KinetoRequest request_;
  const std::chrono::milliseconds patience_;
  std::atomic<std::uint64_t> begin_ns_{0};
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> is_abandoned_{false};
  mutable std::mutex mutex_;
  Progress progress_;    // guarded by mutex_
  std::jthread thread_;  // last member: joined before the others are destroyed
};

}  // namespace lacuna
