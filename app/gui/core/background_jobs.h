#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace lacuna {

/// A computation in the background.
class BackgroundJob {
 public:
  /// Whether an answer is still to come or waits to be taken. Any thread.
  virtual bool is_busy() const = 0;
  /// Waits until the work is done; does not take the answers.
  virtual void wait() = 0;

 protected:
  ~BackgroundJob() = default;
};

/// The jobs whose answers a window, or a part of it, waits for. A job enters itself when it is made and leaves when it
/// goes (LatestJob), so that none is forgotten. Lists can stand in a list. UI thread; the list outlives its jobs.
class BackgroundJobs final : public BackgroundJob {
 public:
  /// Workers call `wake` when there is an answer.
  explicit BackgroundJobs(std::function<void()> wake = {}) : wake_(std::move(wake)) {}
  explicit BackgroundJobs(BackgroundJobs& parent) : wake_(parent.wake_), parent_(&parent) { parent.add(*this); }
  ~BackgroundJobs() {
    if (parent_ != nullptr) parent_->remove(*this);
  }
  BackgroundJobs(const BackgroundJobs&) = delete;
  BackgroundJobs& operator=(const BackgroundJobs&) = delete;

  void add(BackgroundJob& job) { jobs_.push_back(&job); }
  void remove(const BackgroundJob& job) { std::erase(jobs_, &job); }
  const std::function<void()>& wake() const { return wake_; }

  bool is_busy() const override {
    for (const BackgroundJob* job : jobs_)
      if (job->is_busy()) return true;
    return false;
  }
  void wait() override {
    for (BackgroundJob* job : jobs_) job->wait();
  }

  /// Waits and calls `update`, which takes the answers and may start more work, until no more answers come.
  /// `update` tells whether it took any.
  template <class Update>
  void settle(Update&& update) {
    while (is_busy()) {
      wait();
      if (!update()) return;  // the other answers are taken elsewhere
    }
  }

 private:
  std::function<void()> wake_;
  BackgroundJobs* parent_ = nullptr;
  std::vector<BackgroundJob*> jobs_;
};

}  // namespace lacuna
