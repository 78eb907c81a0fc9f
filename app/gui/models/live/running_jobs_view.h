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

/// How a request of the window goes.
struct TakenTraces {
  std::vector<JobProgress> jobs;
  std::vector<std::string> problems;
  std::string error;  ///< it could not begin
  bool is_over = false;

  std::vector<std::string> files() const;  ///< of those that are there
  bool is_whole() const;                   ///< all are
};

/// Running programs of which a trace can be taken, recordings that can be watched, and the request under way. UI
/// thread; /proc and sockets are looked at on threads of its own.
class RunningJobsView {
 public:
  explicit RunningJobsView(std::function<void()> wake);
  ~RunningJobsView();

  /// Looks for them when the last look is some seconds old. To be called in each frame that shows them; returns in how
  /// many seconds it wants another.
  double look();
  /// As of the last look, by rank, without launchers, and without what is woken with another one.
  const std::vector<RunningJob>& jobs() const { return found_.jobs; }
  /// Sockets of recordings here that a window may watch.
  const std::vector<std::string>& recordings() const { return found_.recordings; }
  bool has_looked() const { return has_looked_; }

  void take(RequestPlan plan);
  /// Asks nobody any more; what was asked for already is written where the jobs put it.
  void stop_taking() { is_stopped_->store(true); }
  bool is_taking() const { return taken_ != nullptr && !taken_->is_over; }
  /// Of the request under way, or the last one; null: none.
  const TakenTraces* taken() const { return taken_.get(); }
  void forget_taken() { taken_.reset(); }

  /// Takes over what the threads found. Once a frame; true = something changed.
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
