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

void StepFilter::add(const StreamedSlice& s) {
  held_.push_back({Kind::kSlice, s.track, {}, s.start, s.duration, s.correlation, s.is_open, std::string(s.name),
                   std::string(s.category), std::string(s.args)});
}

void StepFilter::add(const StreamedInstant& i) {
  held_.push_back({Kind::kInstant, i.track, {}, i.time, 0, 0, false, std::string(i.name), std::string(i.category),
                   std::string(i.args)});
}

void StepFilter::add(const StreamedAsync& a) {
  held_.push_back({Kind::kAsync, a.track, {}, a.time, 0, a.id, a.is_begin, std::string(a.name),
                   std::string(a.category), std::string(a.args)});
}

void StepFilter::add(const StreamedFlow& f) {
  held_.push_back({Kind::kFlow, f.from, f.to, f.from_time, f.to_time, f.id, false, {}, std::string(f.category), {}});
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
  if (h.kind == Kind::kSlice) ++slices_;
  switch (h.kind) {
    case Kind::kSlice: next_.add(StreamedSlice{h.track, h.name, h.category, h.time, h.end, h.number, h.args, h.flag}); break;
    case Kind::kInstant: next_.add(StreamedInstant{h.track, h.name, h.category, h.time, h.args}); break;
    case Kind::kAsync: next_.add(StreamedAsync{h.track, h.name, h.category, h.time, h.number, h.flag, h.args}); break;
    case Kind::kFlow: next_.add(StreamedFlow{h.track, h.time, h.to, h.end, h.number, h.category}); break;
  }
}

void StepFilter::settle(Nanos until) {
  std::deque<Held> later;
  // CPU events first: they say which launches are kept.
  std::vector<Held> gpu;
  for (Held& h : held_) {
    const bool is_gpu = (h.kind == Kind::kFlow && h.category == kLaunchToGpu) || h.track.kind == TrackKind::kGpuStream;
    if (h.time >= until) {
      later.push_back(std::move(h));
    } else if (is_gpu) {
      gpu.push_back(std::move(h));
    } else if (h.kind == Kind::kAsync && !h.flag ? kept_asyncs_.erase(h.number) > 0
                                                   : keeps(h.time) && (h.kind != Kind::kFlow || keeps(h.end))) {
      if (h.kind == Kind::kSlice && h.number != 0) kept_launches_.insert(h.number);
      if (h.kind == Kind::kAsync) kept_asyncs_.insert(h.number);
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
