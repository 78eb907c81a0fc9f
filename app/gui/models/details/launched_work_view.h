#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/calls/launched_work.h"

namespace lacuna {

/// The GPU work behind some slices (the selected one, or those of a table's row), as the details show
/// it: what CPU slices launched, and what launched GPU work. Computed in the background. UI thread.
class LaunchedWorkView {
 public:
  /// `wake` is called on the worker when an answer is there.
  explicit LaunchedWorkView(BackgroundJobs& jobs) : job_(jobs) {}
  ~LaunchedWorkView() { clear(); }

  struct Answer {
    LaunchedWork work;           ///< of the CPU slices
    LaunchSites sites;           ///< of the GPU activities
    std::vector<SliceId> stack;  ///< of one GPU activity alone: stack_above(), with what graphs were captured in
    bool is_void = false;        ///< given up: another question came
  };

  /// Asks about `places`; what was known of others is forgotten. Only times in `range` count.
  void ask(DocumentPtr document, std::vector<SliceId> places, TimeSpan range);
  void clear();
  /// Fetches what was computed. True when something changed.
  bool update();
  /// Waits for the answer (screenshots, tests); update() then fetches it.
  void settle() { job_.wait(); }
  bool is_computing() const { return job_.is_busy(); }
  /// Null until it is known. Who draws it holds it: a link in it selects another slice, which forgets this answer.
  std::shared_ptr<const Answer> answer() const { return answer_; }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the job under way
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna
