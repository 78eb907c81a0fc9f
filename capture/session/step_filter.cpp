#include "capture/session/step_filter.h"

#include <algorithm>
#include <utility>

namespace lacuna {

bool StepSchedule::keeps(std::uint64_t ended) const {
  if (!is_set()) return true;
  const std::uint64_t cycle = std::uint64_t{wait} + warmup + active;
  return !is_over(ended) && ended % cycle >= std::uint64_t{wait} + warmup;
}

bool StepSchedule::is_over(std::uint64_t ended) const {
  return is_set() && repeat > 0 && ended / (std::uint64_t{wait} + warmup + active) >= repeat;
}

void StepFilter::step_ended(Nanos end) {
  left_out_ += without_step_.size();
  without_step_.clear();
  ends_.insert(std::ranges::upper_bound(ends_, end), end);  // nearly always at the back
}

bool StepFilter::keeps(Nanos time) const {
  const auto ended = static_cast<std::uint64_t>(std::ranges::upper_bound(ends_, time) - ends_.begin());
  return schedule_.keeps(ended);
}

void StepFilter::leave_out(Held& held) {
  if (!ends_.empty()) {
    ++left_out_;
    return;
  }
  without_step_.push_back(std::move(held));
  if (without_step_.size() <= kMostWithoutStep) return;
  without_step_.pop_front();
  ++left_out_;
}

void StepFilter::finish() {
  settle(kMaxNanos);
  for (const Held& held : without_step_) pass(held);
  without_step_.clear();
}

void StepFilter::pass(const Held& h) {
  if (h.kind == Held::Kind::kSlice) {
    ++slices_;
    if (h.track.kind == TrackKind::kThreadStates) ++states_;
  }
  h.pass_to(next_);
}

void StepFilter::settle(Nanos until) {
  std::deque<Held> later;
  // CPU events first: they say which launches are kept.
  std::vector<Held> gpu;
  for (Held& h : held_) {
    const bool is_gpu =
        (h.kind == Held::Kind::kFlow && h.category == kLaunchToGpu) || h.track.kind == TrackKind::kGpuStream;
    if (h.time >= until) {
      later.push_back(std::move(h));
    } else if (is_gpu) {
      gpu.push_back(std::move(h));
    } else if (h.kind == Held::Kind::kAsync && !h.flag
                   ? kept_asyncs_.erase(h.number) > 0
                   : keeps(h.time) && (h.kind != Held::Kind::kFlow || keeps(h.length))) {
      if (h.kind == Held::Kind::kSlice && h.number != 0) kept_launches_.insert(h.number);
      if (h.kind == Held::Kind::kAsync) kept_asyncs_.insert(h.number);
      pass(h);
    } else {
      leave_out(h);
    }
  }
  for (Held& h : gpu) {
    // Without a correlation an activity counts by its own time.
    if (h.number != 0 ? kept_launches_.contains(h.number) : keeps(h.time)) {
      pass(h);
    } else {
      leave_out(h);
    }
  }
  held_ = std::move(later);
}

}  // namespace lacuna
