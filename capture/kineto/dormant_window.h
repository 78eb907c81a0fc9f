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

/// A window of a dormant program: wakes it and what it started, records them on a thread of its own, and lets them
/// sleep again. A window of time waits, awake, until begin_at() is called, so that several begin at one moment; one by
/// steps begins with the next step. All calls: any thread.
class DormantWindow {
 public:
  struct Progress {
    JobProgress::State state = JobProgress::State::kWaking;
    std::string words;
    std::string file;
    std::uint64_t bytes = 0;
    bool is_ready = false;  ///< it is awake, PyTorch's operators are hooked: begin_at() may come
  };

  /// Begins to wake it. `patience`: how long its operators may take to be hooked, and its next step to come.
  DormantWindow(RunningJob job, const KinetoRequest& request, ClaimedFile claim, std::chrono::milliseconds patience);
  /// Ends the window, if it is not over; nothing new is left of one that was not stopped before.
  ~DormantWindow();
  DormantWindow(const DormantWindow&) = delete;
  DormantWindow& operator=(const DormantWindow&) = delete;

  Progress progress() const;
  /// Says at which time of CLOCK_MONOTONIC the window begins. To be called once.
  void begin_at(std::uint64_t monotonic_ns) { begin_ns_ = monotonic_ns; }
  /// Ends the window now; what came is written.
  void stop() { is_stopped_ = true; }

 private:
  void run(ClaimedFile claim);
  /// What went wrong; empty: nothing, or what finish() of the recorder will say.
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
  Progress progress_;    // guarded by it
  std::jthread thread_;  // last: joined before the rest goes
};

}  // namespace lacuna
