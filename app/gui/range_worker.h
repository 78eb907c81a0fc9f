#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/gui/document.h"

namespace lacuna {

/// What the panels show of a selected range.
struct RangeAnalysis {
  TimeSpan range;
  Statistics statistics;
  std::vector<StreamActivity> streams;  ///< clipped to the range
  std::uint64_t generation = 0;         ///< of the request that it answers
};

/// Analyses ranges on a thread of its own, so that dragging a selection never waits. Only the
/// latest request counts: one that was overtaken before it began is skipped, one that is running is
/// finished and delivered (something to look at while the next is computed).
/// request() and take() on the UI thread; `on_result` is called on the worker thread.
class RangeWorker {
 public:
  explicit RangeWorker(std::function<void()> on_result);
  ~RangeWorker();
  RangeWorker(const RangeWorker&) = delete;
  RangeWorker& operator=(const RangeWorker&) = delete;

  /// Returns the generation of this request.
  std::uint64_t request(DocumentPtr document, TimeSpan range);
  /// Forgets what was asked for; results under way will be older than the next generation.
  void cancel();
  /// The newest result that was not taken yet.
  std::shared_ptr<const RangeAnalysis> take();
  bool is_busy() const;
  /// Waits until nothing is under way (screenshots, tests).
  void wait();

 private:
  struct Request {
    DocumentPtr document;
    TimeSpan range;
    std::uint64_t generation = 0;
  };
  void run(std::stop_token stop);

  std::function<void()> on_result_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Request> next_;                    // guarded by mutex_
  std::shared_ptr<const RangeAnalysis> finished_;  // guarded by mutex_
  bool running_ = false;                           // guarded by mutex_
  std::uint64_t generation_ = 0;                   // guarded by mutex_
  std::jthread thread_;                            // last: starts when the rest is ready
};

}  // namespace lacuna
