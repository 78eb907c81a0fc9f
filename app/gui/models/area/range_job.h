#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/gui/models/area/range_analysis.h"

namespace lacuna {

/// Analyses ranges on a thread of its own and shows the answer while it grows. Only the latest question
/// counts; what is computed for one that was overtaken is still delivered when it is ready soon (so that
/// there is something to look at while a range is dragged), and given up otherwise.
/// All but the work on the UI thread. The destructor gives up what is under way.
class RangeJob {
 public:
  /// `on_news` is called on the worker thread.
  explicit RangeJob(std::function<void()> on_news) : on_news_(std::move(on_news)) {}
  ~RangeJob();
  RangeJob(const RangeJob&) = delete;
  RangeJob& operator=(const RangeJob&) = delete;

  void start(DocumentPtr document, TimeSpan range, std::vector<TrackId> tracks);
  /// Forgets what was asked for, and what came out of it.
  void cancel();
  /// The newest answer that was not taken yet, whole or in part, or null.
  std::shared_ptr<const RangeAnalysis> take();
  /// The whole answer to the latest question is still to come, or to be taken.
  bool is_busy() const;
  /// Waits until nothing is under way (screenshots, tests).
  void wait();

 private:
  struct Request {
    DocumentPtr document;
    TimeSpan range;
    std::vector<TrackId> tracks;
    std::uint64_t number = 0;
  };

  void run(const std::stop_token& stop);
  RangeAnalysis work(const Request& request);
  bool publish(std::uint64_t number, RangeAnalysis answer, bool is_whole);

  std::function<void()> on_news_;
  std::atomic<bool> give_up_{false};
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_:
  std::optional<Request> next_;
  std::shared_ptr<const RangeAnalysis> news_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t void_until_ = 0;
  bool is_running_ = false;
  std::jthread thread_;  // last: joined before the rest goes
};

}  // namespace lacuna
