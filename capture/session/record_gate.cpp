#include "capture/session/record_gate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace lacuna {
namespace {

constexpr std::size_t kMostBegunBefore = 1'000'000;

void note_cut(std::string& args, const char* key, Nanos ns) {
  if (ns > 0) args += fmt::format("{}\"{}\":{}", args.empty() ? "" : ",", key, ns);
}

}  // namespace

RecordGate::RecordGate(RecordWindow window, Nanos start, EventSink& next)
    : window_(std::move(window)), earliest_(saturating_add(start, window_.delay)), next_(next) {
  if (window_.start_on.empty() && !window_.on_word) begin_ = earliest_;
}

void RecordGate::see(std::string_view name, Nanos start) {
  if (!begin_ && !window_.on_word && name == window_.start_on && start >= earliest_)
    found_ = std::min(found_.value_or(start), start);
}

void RecordGate::add(const StreamedSlice& slice) {
  if (!begin_) {
    if (slice.track.kind == TrackKind::kThread) see(slice.name, slice.start);
    held_.emplace_back(slice);
    return;
  }
  const Nanos slice_end = slice.is_open ? kMaxNanos : saturating_add(slice.start, slice.duration);
  // Nothing lasts at an edge: a slice without a length belongs where it starts.
  if (slice.start >= end() || (slice_end <= *begin_ && slice.start < *begin_)) {
    ++left_out_;
    return;
  }
  ++slices_;
  if (slice.track.kind == TrackKind::kThreadStates) ++states_;
  if (slice.start >= *begin_ && (slice.is_open || slice_end <= end())) return next_.add(slice);
  StreamedSlice cut = slice;
  std::string args(slice.args);
  cut.start = std::max(slice.start, *begin_);
  note_cut(args, "began_before_ns", saturating_sub(cut.start, slice.start));
  if (!slice.is_open) {
    cut.duration = saturating_sub(std::min(slice_end, end()), cut.start);
    note_cut(args, "ended_after_ns", saturating_sub(slice_end, end()));
  }
  cut.args = args;
  next_.add(cut);
}

void RecordGate::add(const StreamedInstant& instant) {
  if (!begin_) {
    held_.emplace_back(instant);
  } else if (holds(instant.time)) {
    next_.add(instant);
  } else {
    ++left_out_;
  }
}

void RecordGate::add(const StreamedAsync& async) {
  if (!begin_) {
    if (async.is_begin) see(async.name, async.time);
    held_.emplace_back(async);
    return;
  }
  if (async.is_begin && async.time < *begin_) {
    if (begun_before_.size() < kMostBegunBefore) begun_before_.emplace(async.id, HeldEvent(async));
    return;
  }
  if (!async.is_begin) {
    if (auto begun = begun_before_.extract(async.id)) {
      if (async.time < *begin_) {
        left_out_ += 2;
        return;
      }
      pass_begun_before(std::move(begun.mapped()));
    }
  }
  if (async.time < end()) {
    next_.add(async);
  } else {
    ++left_out_;
  }
}

void RecordGate::pass_begun_before(HeldEvent async) {
  note_cut(async.args, "began_before_ns", saturating_sub(*begin_, async.time));
  async.time = *begin_;
  async.pass_to(next_);
}

void RecordGate::add(const StreamedFlow& flow) {
  if (!begin_) {
    held_.emplace_back(flow);
  } else if (holds(flow.from_time)) {
    next_.add(flow);
  } else {
    ++left_out_;
  }
}

void RecordGate::settle(Nanos from) {
  if (begin_) return;
  std::deque<HeldEvent> held = std::exchange(held_, {});
  begin_ = found_;
  for (HeldEvent& event : held) {
    const bool is_async = event.kind == HeldEvent::Kind::kAsync;
    const bool is_slice = event.kind == HeldEvent::Kind::kSlice;
    const bool is_late =
        event.time >= from || (is_slice && (event.flag || saturating_add(event.time, event.length) >= from));
    if (begin_) {
      event.pass_to(*this);
    } else if (is_late) {
      held_.push_back(std::move(event));
    } else if (is_async && event.flag) {
      if (begun_before_.size() < kMostBegunBefore) begun_before_.emplace(event.number, std::move(event));
    } else {
      left_out_ += is_async ? begun_before_.erase(event.number) + 1 : 1;
    }
  }
}

void RecordGate::finish() {
  settle(kMaxNanos);
  left_out_ += held_.size();
  held_.clear();
  for (auto& begun : begun_before_) {
    if (begin_) {
      pass_begun_before(std::move(begun.second));
    } else {
      ++left_out_;
    }
  }
  begun_before_.clear();
}

}  // namespace lacuna
