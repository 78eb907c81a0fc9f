#include "app/gui/models/area/range_job.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lacuna {
namespace {

constexpr double kPatienceS = 0.15;  // for an answer that was overtaken

}  // namespace

RangeJob::~RangeJob() {
  give_up_ = true;
  thread_.request_stop();
  changed_.notify_all();
}

void RangeJob::start(DocumentPtr document, TimeSpan range, std::vector<TrackId> tracks) {
  {
    const std::lock_guard lock(mutex_);
    next_ = Request{std::move(document), range, std::move(tracks), ++asked_};
  }
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  changed_.notify_all();
}

void RangeJob::cancel() {
  const std::lock_guard lock(mutex_);
  next_.reset();
  news_.reset();
  void_until_ = answered_ = asked_;
  if (is_running_) give_up_ = true;
}

std::shared_ptr<const RangeAnalysis> RangeJob::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, nullptr);
}

bool RangeJob::is_busy() const {
  const std::lock_guard lock(mutex_);
  return answered_ < asked_ || news_ != nullptr;
}

void RangeJob::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_running_ && !next_.has_value(); });
}

bool RangeJob::publish(std::uint64_t number, RangeAnalysis answer, bool is_whole) {
  {
    const std::lock_guard lock(mutex_);
    if (number <= void_until_) return false;
    news_ = std::make_shared<const RangeAnalysis>(std::move(answer));
    if (is_whole) answered_ = number;
  }
  if (on_news_) on_news_();
  return true;
}

RangeAnalysis RangeJob::work(const Request& request) {
  const auto begin = std::chrono::steady_clock::now();
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  return analyze_range(*request.document, request.range, request.tracks, threads, &give_up_,
                       [&](RangeAnalysis so_far) {
                         bool is_overtaken = false;
                         {
                           const std::lock_guard lock(mutex_);
                           is_overtaken = next_.has_value();
                         }
                         const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
                         if (is_overtaken && took.count() > kPatienceS) {
                           give_up_ = true;
                         } else {
                           publish(request.number, std::move(so_far), false);
                         }
                       });
}

void RangeJob::run(const std::stop_token& stop) {
  while (true) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return next_.has_value(); });
      if (stop.stop_requested()) return;
      request = std::move(*next_);
      next_.reset();
      is_running_ = true;
      give_up_ = false;
    }
    RangeAnalysis answer = work(request);
    if (!give_up_) publish(request.number, std::move(answer), true);
    request.document.reset();  // may be the last reference to a closed document
    {
      const std::lock_guard lock(mutex_);
      is_running_ = false;
    }
    changed_.notify_all();
  }
}

}  // namespace lacuna
