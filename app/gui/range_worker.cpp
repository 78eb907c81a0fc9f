#include "app/gui/range_worker.h"

#include <utility>

namespace lacuna {

RangeWorker::RangeWorker(std::function<void()> on_result)
    : on_result_(std::move(on_result)), thread_([this](std::stop_token stop) { run(stop); }) {}

RangeWorker::~RangeWorker() {
  thread_.request_stop();
  changed_.notify_all();
}

std::uint64_t RangeWorker::request(DocumentPtr document, TimeSpan range) {
  std::uint64_t generation = 0;
  {
    const std::lock_guard lock(mutex_);
    generation = ++generation_;
    next_ = Request{std::move(document), range, generation};
  }
  changed_.notify_all();
  return generation;
}

void RangeWorker::cancel() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  next_.reset();
  finished_.reset();
}

std::shared_ptr<const RangeAnalysis> RangeWorker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, nullptr);
}

bool RangeWorker::is_busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || next_.has_value();
}

void RangeWorker::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_ && !next_.has_value(); });
}

void RangeWorker::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return next_.has_value(); });
      if (stop.stop_requested()) return;
      request = std::move(*next_);
      next_.reset();
      running_ = true;
    }
    auto analysis = std::make_shared<RangeAnalysis>();
    analysis->range = request.range;
    analysis->generation = request.generation;
    StatisticsOptions statistics;
    statistics.range = request.range;
    analysis->statistics = compute_statistics(request.document->trace, statistics);
    GapOptions gaps;
    gaps.range = request.range;
    analysis->streams = analyze_streams(request.document->trace, gaps);
    // The worker may hold the last reference to a closed document: let go of it out here.
    request.document.reset();
    {
      const std::lock_guard lock(mutex_);
      finished_ = std::move(analysis);
      running_ = false;
    }
    changed_.notify_all();
    if (on_result_) on_result_();
  }
}

}  // namespace lacuna
