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

/// The part of LatestJob that does not depend on the answer's type, compiled once.
class LatestJobThread : public BackgroundJob {
 public:
  LatestJobThread(const LatestJobThread&) = delete;
  LatestJobThread& operator=(const LatestJobThread&) = delete;

  /// Drops the pending question and its answer.
  void cancel();
  /// Whether the whole answer to the latest question is not computed yet, or not taken.
  bool is_busy() const override;
  /// Blocks until no work is running (screenshots, tests).
  void wait() override;

 protected:
  using AnyAnswer = std::shared_ptr<const void>;
  /// Identifies one question. Refers only to the base class: it is used until the base destructor has waited.
  class AnyProgress {
   public:
    AnyProgress(LatestJobThread& job, std::uint64_t number) : job_(&job), number_(number) {}
    bool show(AnyAnswer part) const { return job_->deliver(number_, std::move(part), false); }
    bool is_overtaken() const { return job_->is_overtaken(); }

   private:
    LatestJobThread* job_;
    std::uint64_t number_;
  };
  /// Returns null if the work gave up.
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
  BackgroundJobs* jobs_ = nullptr;  // the list this job is in; borrowed
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_:
  std::optional<Request> next_;
  AnyAnswer finished_;
  std::uint64_t asked_ = 0;       // number of the latest question
  std::uint64_t answered_ = 0;    // number of the latest question answered or cancelled
  std::uint64_t void_until_ = 0;  // answers up to this number are dropped
  bool running_ = false;
  std::jthread thread_;  // last member: joined before the others are destroyed
};

/// Answers questions on a thread of its own, so that no frame waits for them. Only the latest
/// question counts: one that was superseded before it started is skipped; one that is running is
/// finished and delivered (something to show while the next one is computed), unless it was
/// cancelled. The thread starts with the first question. An exception of the work becomes a message
/// (job_failures.h), and that question gets no answer.
/// The UI thread calls start(), cancel(), take(), is_busy() and wait(); the worker thread runs the work and
/// `on_done`. The destructor waits for running work.
template <class Answer>
class LatestJob final : public LatestJobThread {
 public:
  using Work = std::function<Answer()>;

  /// The running work's connection to the job. Worker thread.
  class Progress {
   public:
    /// Delivers a partial answer. Returns false if the question was cancelled.
    bool show(Answer part) { return of_any_.show(std::make_shared<const Answer>(std::move(part))); }
    /// Whether a newer question waits.
    bool is_overtaken() const { return of_any_.is_overtaken(); }

   private:
    friend class LatestJob;
    explicit Progress(AnyProgress of_any) : of_any_(of_any) {}
    AnyProgress of_any_;
  };
  /// Returns nothing where the work was cancelled.
  using GrowingWork = std::function<std::optional<Answer>(Progress&)>;

  /// Registers itself in the list, whose wake() the worker thread calls after each answer, partial or whole.
  explicit LatestJob(BackgroundJobs& jobs) : LatestJobThread(jobs.wake(), &jobs) {}
  /// A job that is in no list of jobs.
  explicit LatestJob(std::function<void()> on_done) : LatestJobThread(std::move(on_done), nullptr) {}
  ~LatestJob() = default;

  void start(Work work) {
    start_any([work = std::move(work)](AnyProgress) -> AnyAnswer { return std::make_shared<const Answer>(work()); });
  }
  /// Starts work that delivers partial answers.
  void start_growing(GrowingWork work) {
    start_any([work = std::move(work)](AnyProgress any) -> AnyAnswer {
      Progress progress(any);
      std::optional<Answer> whole = work(progress);
      return whole ? std::make_shared<const Answer>(std::move(*whole)) : nullptr;
    });
  }

  /// Returns the newest answer not taken yet, or null.
  std::shared_ptr<const Answer> take() { return std::static_pointer_cast<const Answer>(take_any()); }
};

}  // namespace lacuna
