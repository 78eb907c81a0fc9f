#include "model/memory/deferred_stacks.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace lacuna {

/// A thread that works off batches in their order. Not many wait: whoever is faster waits for the other.
class DeferredStacks::Worker {
 public:
  explicit Worker(std::function<void(const Batch&)> work)
      : work_(std::move(work)), thread_([this](std::stop_token stop) { run(stop); }) {}
  ~Worker() {
    thread_.request_stop();
    changed_.notify_all();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void take(Batch batch) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return waiting_.size() < kMostBatches || failure_ != nullptr; });
      if (failure_ != nullptr) std::rethrow_exception(failure_);
      waiting_.push_back(std::move(batch));
    }
    changed_.notify_all();
  }
  /// Waits for all.
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    changed_.notify_all();
    thread_.join();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  static constexpr std::size_t kMostBatches = 8;

  void run(std::stop_token stop) {
    while (true) {
      Batch batch;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [this] { return !waiting_.empty() || is_done_; });
        if (stop.stop_requested() || waiting_.empty()) return;
        batch = std::move(waiting_.front());
        waiting_.pop_front();
      }
      changed_.notify_all();
      try {
        work_(batch);
      } catch (...) {  // no memory, or no more that the file may take
        {
          const std::lock_guard lock(mutex_);
          failure_ = std::current_exception();
        }
        changed_.notify_all();
        return;
      }
    }
  }

  std::function<void(const Batch&)> work_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_:
  std::deque<Batch> waiting_;
  std::exception_ptr failure_;
  bool is_done_ = false;  // no more batches come
  std::jthread thread_;   // last: joined before the rest goes
};

DeferredStacks::DeferredStacks(CallStacks& stacks, MemoryRoom& room) : stacks_(stacks), room_(room) {}

DeferredStacks::~DeferredStacks() = default;

std::uint32_t DeferredStacks::add(std::size_t kept, std::span<const std::uint32_t> inner) {
  if (kept == 0 && inner.empty()) return 0;
  filling_.push_back(static_cast<std::uint32_t>(kept));
  filling_.push_back(static_cast<std::uint32_t>(inner.size()));
  filling_.insert(filling_.end(), inner.begin(), inner.end());
  ++tickets_;
  if (filling_.size() >= kBatchFrames) {
    if (worker_ == nullptr) worker_ = std::make_unique<Worker>([this](const Batch& words) { intern(words); });
    worker_->take(std::exchange(filling_, {}));
    filling_.reserve(kBatchFrames + 4096);
  }
  return tickets_;
}

const std::vector<std::uint32_t>& DeferredStacks::finish() {
  if (worker_ != nullptr) worker_->finish();
  intern(std::exchange(filling_, {}));
  return ids_;
}

void DeferredStacks::intern(const Batch& words) {
  // Where a hash leads to is mostly in no cache: all are known first, then each is fetched some stacks ahead.
  constexpr std::size_t kAhead = 16;
  hashes_.clear();
  for (std::size_t at = 0; at < words.size(); at += 2 + words[at + 1])
    hashes_.push_back(stacks_.hash_stack(words[at], std::span(words).subspan(at + 2, words[at + 1])));
  for (std::size_t at = 0, i = 0; at < words.size(); at += 2 + words[at + 1], ++i) {
    if (i + kAhead < hashes_.size()) stacks_.prefetch(hashes_[i + kAhead]);
    if (ids_.size() == ids_.capacity()) {
      const std::size_t more = std::max<std::size_t>(ids_.capacity(), 1024);
      room_.take(more * sizeof(std::uint32_t));
      ids_.reserve(ids_.size() + more);
    }
    ids_.push_back(stacks_.intern_stack(words[at], std::span(words).subspan(at + 2, words[at + 1]), hashes_[i]));
  }
}

}  // namespace lacuna
