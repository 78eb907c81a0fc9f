#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/gui/core/latest_job.h"
#include "app/gui/models/area/range_analysis.h"

namespace lacuna {

/// Analyses ranges in the background and delivers partial answers. Only the latest question counts; the answer to a
/// superseded one is still delivered if it is ready soon (so that there is something to show while a range is dragged),
/// and given up otherwise. UI thread. The destructor gives up running work.
class RangeJob {
 public:
  explicit RangeJob(BackgroundJobs& jobs) : job_(jobs) {}
  ~RangeJob() { give_up_ = is_ending_ = true; }
  RangeJob(const RangeJob&) = delete;
  RangeJob& operator=(const RangeJob&) = delete;

  void start(DocumentPtr document, TimeSpan range, std::vector<TrackId> tracks);
  /// Drops the pending question and its answer.
  void cancel();
  /// Returns the newest answer not taken yet, partial or whole, or null.
  std::shared_ptr<const RangeAnalysis> take() { return job_.take(); }
  /// Whether the whole answer to the latest question is not computed yet, or not taken.
  bool is_busy() const { return job_.is_busy(); }

 private:
  std::atomic<bool> give_up_{false};
  std::atomic<bool> is_ending_{false};
  LatestJob<RangeAnalysis> job_;  // last member: its work ends before the others are destroyed
};

}  // namespace lacuna
