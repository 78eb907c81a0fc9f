#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/gui/core/latest_job.h"
#include "app/gui/models/area/range_analysis.h"

namespace lacuna {

/// Analyses ranges in the background and shows the answer while it grows. Only the latest question counts; what is
/// computed for one that was overtaken is still delivered when it is ready soon (so that there is something to look at
/// while a range is dragged), and given up otherwise. UI thread. The destructor gives up what is under way.
class RangeJob {
 public:
  explicit RangeJob(BackgroundJobs& jobs) : job_(jobs) {}
  ~RangeJob() { give_up_ = is_ending_ = true; }
  RangeJob(const RangeJob&) = delete;
  RangeJob& operator=(const RangeJob&) = delete;

  void start(DocumentPtr document, TimeSpan range, std::vector<TrackId> tracks);
  /// Forgets what was asked for, and what came out of it.
  void cancel();
  /// The newest answer that was not taken yet, whole or in part, or null.
  std::shared_ptr<const RangeAnalysis> take() { return job_.take(); }
  /// The whole answer to the latest question is still to come, or to be taken.
  bool is_busy() const { return job_.is_busy(); }

 private:
  std::atomic<bool> give_up_{false};
  std::atomic<bool> is_ending_{false};
  LatestJob<RangeAnalysis> job_;  // last: its work is over before the rest goes
};

}  // namespace lacuna
