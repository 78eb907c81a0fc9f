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

namespace lacuna {

/// What LatestJob does whatever the answer's type is, compiled once.
class LatestJobThread : public BackgroundJob {
 public:
  LatestJobThread(const LatestJobThread&) = delete;
  LatestJobThread& operator=(const LatestJobThread&) = delete;

  /// Forgets what was asked for, and what came out of it.
  void cancel();
  /// Tells whether the whole answer to the latest question is still to come, or to be taken.
  bool is_busy() const override;
  /// Waits until nothing is under way (screenshots, tests).
  void wait() override;

 protected:
  using AnyAnswer = std::shared_ptr<const void>;
  /// Stands for one question. Knows only this part of the job: it is used until the destructor has waited.
  class AnyProgress {
   public:
    AnyProgress(LatestJobThread& job, std::uint64_t number) : job_(&job), number_(number) {}
    bool show(AnyAnswer part) const { return job_->deliver(number_, std::move(part), false); }
    bool is_overtaken() const { return job_->is_overtaken(); }

   private:
    LatestJobThread* job_;
    std::uint64_t number_;
  };
  /// Null: the work was given up.
  using AnyWork = std::function<AnyAnswer(AnyProgress)>;

  LatestJobThread(std::function<void()> on_done, BackgroundJobs* jobs);
  ~LatestJobThread();

  void start_any(AnyWork work);
  AnyAnswer take_any();

 private:
  struct Request {
    AnyWork work;
    std::uint64_t number = 0;
  };

  bool deliver(std::uint64_t number, AnyAnswer answer, bool is_whole);
  bool is_overtaken() const;
  void run(std::stop_token stop);

  std::function<void()> on_done_;
  BackgroundJobs* jobs_ = nullptr;  // that it stands in; borrowed
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_:
  std::optional<Request> next_;
  AnyAnswer finished_;
  std::uint64_t asked_ = 0;       // number of the latest question
  std::uint64_t answered_ = 0;    // … of the latest one that was answered or cancelled
  std::uint64_t void_until_ = 0;  // answers up to this number are dropped
  bool running_ = false;
  std::jthread thread_;  // last: joined before the rest goes
};

/// Answers questions on a thread of its own, so that no frame waits for them. Only the latest
/// question counts: one that was overtaken before it began is skipped; one that is running is
/// finished and delivered (something to look at while the next is computed), unless it was
/// cancelled. The thread starts with the first question. What the work throws becomes a message
/// (job_failures.h), and the question has no answer.
/// The UI thread calls start(), cancel(), take(), is_busy() and wait(); the worker thread runs the work and
/// `on_done`. The destructor waits for what is running.
template <class Answer>
class LatestJob final : public LatestJobThread {
 public:
  using Work = std::function<Answer()>;

  /// What a running work may tell and ask. Worker thread.
  class Progress {
   public:
    /// Delivers a part of the answer. False: the question was cancelled.
    bool show(Answer part) { return of_any_.show(std::make_shared<const Answer>(std::move(part))); }
    /// Tells whether another question waits.
    bool is_overtaken() const { return of_any_.is_overtaken(); }

   private:
    friend class LatestJob;
    explicit Progress(AnyProgress of_any) : of_any_(of_any) {}
    AnyProgress of_any_;
  };
  /// Returns nothing where the work was cancelled.
  using GrowingWork = std::function<std::optional<Answer>(Progress&)>;

  /// Enters itself into the list, whose wake() the worker thread calls after each answer, whole or in part.
  explicit LatestJob(BackgroundJobs& jobs) : LatestJobThread(jobs.wake(), &jobs) {}
  /// A job that no page waits for.
  explicit LatestJob(std::function<void()> on_done) : LatestJobThread(std::move(on_done), nullptr) {}
  ~LatestJob() = default;

  void start(Work work) {
    start_any([work = std::move(work)](AnyProgress) -> AnyAnswer { return std::make_shared<const Answer>(work()); });
  }
  /// Starts work whose answer is worth a look while it grows.
  void start_growing(GrowingWork work) {
    start_any([work = std::move(work)](AnyProgress any) -> AnyAnswer {
      Progress progress(any);
      std::optional<Answer> whole = work(progress);
      return whole ? std::make_shared<const Answer>(std::move(*whole)) : nullptr;
    });
  }

  /// The newest answer that was not taken yet, or null.
  std::shared_ptr<const Answer> take() { return std::static_pointer_cast<const Answer>(take_any()); }
};

}  // namespace lacuna
