#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/core/latest_job.h"
#include "capture/kineto/job_plan.h"

namespace lacuna {

/// The progress of a trace request made in the window.
struct TakenTraces {
  std::vector<JobProgress> jobs;
  std::vector<std::string> problems;
  std::string error;  ///< why it could not begin
  bool is_over = false;

  std::vector<std::string> files() const;  ///< paths of the traces already there
  bool is_whole() const;                   ///< all traces are there
};

/// The running programs of which a trace can be taken, the recordings that can be watched, and the current request. UI
/// thread; /proc and sockets are read on threads of its own.
class RunningJobsView {
 public:
  explicit RunningJobsView(std::function<void()> wake);
  ~RunningJobsView();

  /// Starts a new scan when the last one is some seconds old. Call in each frame that shows the list; returns after how
  /// many seconds it wants to be called again.
  double look();
  /// The jobs of the last scan by rank, without launchers, and without those woken together with another one.
  const std::vector<RunningJob>& jobs() const { return found_.jobs; }
  /// The sockets of local recordings that a window may watch.
  const std::vector<std::string>& recordings() const { return found_.recordings; }
  bool has_looked() const { return has_looked_; }

  void take(RequestPlan plan);
  /// Stops sending requests; traces already requested are still written by the jobs.
  void stop_taking() { is_stopped_->store(true); }
  bool is_taking() const { return taken_ != nullptr && !taken_->is_over; }
  /// The current request, or the last one; null: none.
  const TakenTraces* taken() const { return taken_.get(); }
  void forget_taken() { taken_.reset(); }

  /// Takes the threads' results. Call once a frame; returns true when something changed.
  bool update();

 private:
  using Clock = std::chrono::steady_clock;
  struct Found {
    std::vector<RunningJob> jobs;
    std::vector<std::string> recordings;
  };
  LatestJob<Found> look_job_;
  LatestJob<TakenTraces> take_job_;
  Found found_;
  bool has_looked_ = false;
  Clock::time_point next_look_{};
  std::shared_ptr<const TakenTraces> taken_;
  std::shared_ptr<std::atomic<bool>> is_stopped_;
};

}  // namespace lacuna
