#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace lacuna {

/// Answers questions on a thread of its own, so that no frame waits for them. Only the latest
/// question counts: one that was overtaken before it began is skipped; one that is running is
/// finished and delivered (something to look at while the next is computed), unless it was
/// cancelled. The thread starts with the first question.
/// start(), cancel(), take() on the UI thread; work and `on_done` run on the worker thread. The
/// destructor waits for what is running.
template <class Answer>
class LatestJob {
 public:
  using Work = std::function<Answer()>;

  explicit LatestJob(std::function<void()> on_done) : on_done_(std::move(on_done)) {}
  ~LatestJob() {
    thread_.request_stop();
    changed_.notify_all();
  }
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;

  void start(Work work) {
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

  /// An answer to the latest question is still to come, or to be taken.
  bool is_busy() const {
    const std::lock_guard lock(mutex_);
    return answered_ < asked_ || finished_ != nullptr;
  }

  /// Waits until nothing is under way (screenshots, tests).
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !running_ && !next_.has_value(); });
  }

 private:
  struct Request {
    Work work;
    std::uint64_t number = 0;
  };

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
      auto answer = std::make_shared<const Answer>(request.work());
      // The work may hold the last reference to a closed document: let go of it out here.
      request.work = nullptr;
      {
        const std::lock_guard lock(mutex_);
        if (request.number > void_until_) {
          finished_ = std::move(answer);
          answered_ = request.number;
        }
        running_ = false;
      }
      answer.reset();
      changed_.notify_all();
      if (on_done_) on_done_();
    }
  }

  std::function<void()> on_done_;
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
