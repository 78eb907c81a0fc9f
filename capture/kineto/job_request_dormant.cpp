// The dormant programs of a request: woken at once, they begin at one moment when all are ready.

#include <algorithm>

#include "capture/kineto/job_request.h"
#include "capture/wire/clock.h"

namespace lacuna {
namespace {

using namespace std::chrono_literals;

/// From the moment when all are ready until they begin: each looks every few milliseconds.
constexpr std::chrono::milliseconds kUntilBegin = 60ms;

}  // namespace

bool JobRequest::has_only_kineto() const {
  return plan_.request.snapshot || plan_.request.modules || plan_.request.multiple_of > 0;
}

/// What only Kineto has.
void JobRequest::refuse(std::size_t index) {
  if (plan_.request.snapshot) {
    fail_job(index, "a snapshot is PyTorch's own, for which it must be started with KINETO_USE_DAEMON=1, too");
  } else if (has_only_kineto()) {
    fail_job(index,
             "modules and multiples of an iteration are Kineto's, for which it must be started with "
             "KINETO_USE_DAEMON=1, too");
  }
}

void JobRequest::wake(std::size_t index) {
  Part& part = parts_[index];
  if (!progress_[index].job.is_dormant || !is_open(index) || part.window || is_stopped_) return;
  progress_[index].state = State::kWaking;
  part.window =
      std::make_unique<DormantWindow>(progress_[index].job, plan_.request, std::move(*part.claim), plan_.patience);
  part.claim.reset();
}

void JobRequest::look_at_windows() {
  bool are_all_ready = true;
  bool has_any = false;
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    if (!parts_[i].window || !is_open(i)) continue;
    DormantWindow::Progress now = parts_[i].window->progress();
    are_all_ready = are_all_ready && (now.is_ready || now.state == State::kFailed);
    has_any = has_any || now.is_ready;
    JobProgress& job = progress_[i];
    job.state = now.state;
    job.words = std::move(now.words);
    job.file = std::move(now.file);
    job.bytes = now.bytes;
  }
  if (are_windows_begun_ || !are_all_ready || !has_any || plan_.request.iterations > 0) return;
  are_windows_begun_ = true;
  Clock::duration until_begin = kUntilBegin;
  if (start_ms_ > 0) {  // beside Kineto's
    until_begin = std::max(start_ - Clock::now(), Clock::duration(kUntilBegin));
  } else if (begins_together()) {
    start_ = Clock::now() + kUntilBegin;
    const auto start = std::chrono::system_clock::now() + kUntilBegin;
    start_ms_ = std::chrono::duration_cast<std::chrono::milliseconds>(start.time_since_epoch()).count();
  } else {
    until_begin = 1ns;
  }
  const std::uint64_t begin_ns =
      wire::monotonic_ns() +
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(until_begin).count());
  for (const Part& part : parts_)
    if (part.window) part.window->begin_at(begin_ns);
}

void JobRequest::stop() {
  if (std::exchange(is_stopped_, true)) return;
  listener_.reset();
  for (const Part& part : parts_)
    if (part.window) part.window->stop();
}

bool JobRequest::has_windows() const {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].window && is_open(i)) return true;
  return false;
}

}  // namespace lacuna
