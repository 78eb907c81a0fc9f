#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/calls/launched_work.h"

namespace lacuna {

/// The GPU work of some slices (the selected one, or those of a table's row), as the details panel shows
/// it: what the CPU slices launched, and what launched the GPU slices. Computed in the background. UI thread.
class LaunchedWorkView {
 public:
  /// The worker calls `wake` when an answer is there.
  explicit LaunchedWorkView(BackgroundJobs& jobs) : job_(jobs) {}
  ~LaunchedWorkView() { clear(); }

  struct Answer {
    LaunchedWork work;           ///< launched by the CPU slices
    LaunchSites sites;           ///< of the GPU slices
    std::vector<SliceId> stack;  ///< for a single GPU slice: stack_above(), including where its graph was captured
    bool is_void = false;        ///< given up: superseded by another question
  };

  /// Requests the work of `places` and drops the previous answer. Counts only times in `range`.
  void ask(DocumentPtr document, std::vector<SliceId> places, TimeSpan range);
  void clear();
  /// Takes the computed answer. Returns true when something changed.
  bool update();
  /// Blocks until the answer is there (screenshots, tests); update() then takes it.
  void settle() { job_.wait(); }
  bool is_computing() const { return job_.is_busy(); }
  /// Null until computed. Hold the pointer while drawing: a link in it selects another slice, which drops this answer.
  std::shared_ptr<const Answer> answer() const { return answer_; }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the running job
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna
