#include "app/gui/core/latest_job.h"

#include "app/gui/core/job_failures.h"
#include "model/base/start_thread.h"

namespace lacuna {

LatestJobThread::LatestJobThread(std::function<void()> on_done, BackgroundJobs* jobs)
    : on_done_(std::move(on_done)), jobs_(jobs) {
  if (jobs_ != nullptr) jobs_->add(*this);
}

LatestJobThread::~LatestJobThread() {
  if (jobs_ != nullptr) jobs_->remove(*this);
  thread_.request_stop();
  changed_.notify_all();
}

void LatestJobThread::start_any(AnyWork work) {
  {
    const std::lock_guard lock(mutex_);
    next_ = Request{std::move(work), ++asked_};
  }
  if (!thread_.joinable()) thread_ = start_thread([this](std::stop_token stop) { run(stop); });
  if (!thread_.joinable()) {
    note_failed_work(kNoMoreThreads);
    cancel();
  }
  changed_.notify_all();
}

void LatestJobThread::cancel() {
  const std::lock_guard lock(mutex_);
  next_.reset();
  finished_.reset();
  void_until_ = asked_;
  answered_ = asked_;
}

LatestJobThread::AnyAnswer LatestJobThread::take_any() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, nullptr);
}

bool LatestJobThread::is_busy() const {
  const std::lock_guard lock(mutex_);
  return answered_ < asked_ || finished_ != nullptr;
}

bool LatestJobThread::is_overtaken() const {
  const std::lock_guard lock(mutex_);
  return next_.has_value();
}

void LatestJobThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_ && !next_.has_value(); });
}

bool LatestJobThread::deliver(std::uint64_t number, AnyAnswer answer, bool is_whole) {
  {
    const std::lock_guard lock(mutex_);
    if (number <= void_until_) return false;
    if (answer != nullptr) finished_ = std::move(answer);
    if (is_whole) answered_ = number;
  }
  if (on_done_) guarded(on_done_);
  return true;
}

void LatestJobThread::run(std::stop_token stop) {
  while (true) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return next_.has_value(); });
      if (stop.stop_requested()) return;
      request = std::move(*next_);
      next_.reset();
      running_ = true;
    }
    AnyAnswer answer;
    guarded([&] { answer = request.work(AnyProgress(*this, request.number)); });
    // The work may hold the last reference to a closed document: let go of it out here.
    request.work = nullptr;
    deliver(request.number, std::move(answer), true);
    {
      const std::lock_guard lock(mutex_);
      running_ = false;
    }
    changed_.notify_all();
  }
}

}  // namespace lacuna
