#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/gui/core/background_jobs.h"
#include "app/gui/core/job_failures.h"

namespace lacuna {

/// Answers questions on a thread of its own, so that no frame waits for them. Only the latest
/// question counts: one that was overtaken before it began is skipped; one that is running is
/// finished and delivered (something to look at while the next is computed), unless it was
/// cancelled. The thread starts with the first question. What the work throws becomes a message
/// (job_failures.h), and the question has no answer.
/// The UI thread calls start(), cancel(), take(), is_busy() and wait(); the worker thread runs the work and
/// `on_done`. The destructor waits for what is running.
template <class Answer>
class LatestJob final : public BackgroundJob {
 public:
  using Work = std::function<Answer()>;

  /// What a running work may tell and ask. Worker thread.
  class Progress {
   public:
    /// Delivers a part of the answer. False: the question was cancelled.
    bool show(Answer part) { return job_.deliver(number_, std::make_shared<const Answer>(std::move(part)), false); }
    /// Tells whether another question waits.
    bool is_overtaken() const {
      const std::lock_guard lock(job_.mutex_);
      return job_.next_.has_value();
    }

   private:
    friend class LatestJob;
    Progress(LatestJob& job, std::uint64_t number) : job_(job), number_(number) {}
    LatestJob& job_;
    std::uint64_t number_;
  };
  /// Nothing: the work was given up.
  using GrowingWork = std::function<std::optional<Answer>(Progress&)>;

  /// Enters itself into the list, whose wake() the worker thread calls after each answer, whole or in part.
  explicit LatestJob(BackgroundJobs& jobs) : on_done_(jobs.wake()), jobs_(&jobs) { jobs.add(*this); }
  /// A job that nobody waits for.
  explicit LatestJob(std::function<void()> on_done) : on_done_(std::move(on_done)) {}
  ~LatestJob() {
    if (jobs_ != nullptr) jobs_->remove(*this);
    thread_.request_stop();
    changed_.notify_all();
  }
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;

  void start(Work work) {
    start_growing([work = std::move(work)](Progress&) { return std::optional<Answer>(work()); });
  }
  /// Starts work whose answer is worth a look while it grows.
  void start_growing(GrowingWork work) {
    {
      const std::lock_guard lock(mutex_);
      next_ = Request{std::move(work), ++asked_};
    }
    if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
    changed_.notify_all();
  }

  /// Forgets what was asked for, and what came out of it.
  void cancel() {
    const std::lock_guard lock(mutex_);
    next_.reset();
    finished_.reset();
    void_until_ = asked_;
    answered_ = asked_;
  }

  /// The newest answer that was not taken yet, or null.
  std::shared_ptr<const Answer> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(finished_, nullptr);
  }

  /// Tells whether the whole answer to the latest question is still to come, or to be taken.
  bool is_busy() const override {
    const std::lock_guard lock(mutex_);
    return answered_ < asked_ || finished_ != nullptr;
  }

  /// Waits until nothing is under way (screenshots, tests).
  void wait() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !running_ && !next_.has_value(); });
  }

 private:
  struct Request {
    GrowingWork work;
    std::uint64_t number = 0;
  };

  bool deliver(std::uint64_t number, std::shared_ptr<const Answer> answer, bool is_whole) {
    {
      const std::lock_guard lock(mutex_);
      if (number <= void_until_) return false;
      if (answer != nullptr) finished_ = std::move(answer);
      if (is_whole) answered_ = number;
    }
    if (on_done_) on_done_();
    return true;
  }

  void run(std::stop_token stop) {
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
      std::shared_ptr<const Answer> answer;
      guarded([&] {
        Progress progress(*this, request.number);
        if (std::optional<Answer> whole = request.work(progress))
          answer = std::make_shared<const Answer>(std::move(*whole));
      });
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

  std::function<void()> on_done_;
  BackgroundJobs* jobs_ = nullptr;  // that it stands in; borrowed
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_:
  std::optional<Request> next_;
  std::shared_ptr<const Answer> finished_;
  std::uint64_t asked_ = 0;       // number of the latest question
  std::uint64_t answered_ = 0;    // … of the latest one that was answered or cancelled
  std::uint64_t void_until_ = 0;  // answers up to this number are void
  bool running_ = false;
  std::jthread thread_;  // last: joined before the rest goes
};

}  // namespace lacuna
