#include "model/path/replay.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "model/base/sort_runs.h"
#include "model/causes/gap_rules.h"
#include "model/causes/known_names.h"
#include "model/causes/stream_waits.h"
#include "model/path/critical_path.h"
#include "model/path/thread_work.h"
#include "model/steps/measured_steps.h"

namespace lacuna {
namespace {

/// How long a thread takes for spans of the trace, most of which follow each other.
class CpuClock {
 public:
  explicit CpuClock(const ReplayEdit& edit) : edit_(edit), at_(edit.cpu.size()) {
    for (std::size_t t = 0; t < edit.cpu.size(); ++t) at_[t].resize(edit.cpu[t].size());
  }
  Nanos time(std::uint32_t thread, TimeSpan span) {
    if (span.empty()) return 0;
    if (at_[thread].empty()) return span.duration();
    auto time = static_cast<double>(span.duration());
    for (std::size_t s = 0; s < at_[thread].size(); ++s) {
      const ReplayEdit::Scaled& scaled = edit_.cpu[thread][s];
      const std::span<const TimeSpan> intervals = scaled.where.intervals();
      std::size_t& at = at_[thread][s];
      while (at > 0 && intervals[at - 1].end > span.begin) --at;
      while (at < intervals.size() && intervals[at].end <= span.begin) ++at;
      for (std::size_t i = at; i < intervals.size() && intervals[i].begin < span.end; ++i)
        time += (scaled.factor - 1) * static_cast<double>(intervals[i].intersect(span).duration());
    }
    return std::max<Nanos>(0, static_cast<Nanos>(time));
  }

 private:
  const ReplayEdit& edit_;
  std::vector<std::vector<std::size_t>> at_;  // by thread and scaled set: the first interval that ends later
};

}  // namespace

void SliceNumbers::add_lane(LaneId lane, std::uint32_t slices) {
  if (begins_.size() <= lane.value) begins_.resize(lane.value + std::size_t{1}, kNoLane);
  begins_[lane.value] = numbers_.size();
  numbers_.resize(numbers_.size() + slices, kNoIndex);
}

ReplayEdit::ReplayEdit(std::size_t threads, std::size_t calls, std::size_t works)
    : cpu(threads),
      work_factor(works, 1.0),
      does_not_wait(calls, false),
      needs_no_launch(works, false),
      needs_no_other(works, false),
      at_once(works, false),
      not_held_back(works, false),
      aside(works, false) {}

namespace {

constexpr std::uint32_t kInNoCall = kNoIndex - 1;

/// The number of the call that a runtime call is or lies in; kNoIndex without one. Those between learn it, too: calls
/// may be nested deeply.
std::uint32_t call_around(const Trace& trace, SliceId slice, SliceNumbers& call_at) {
  const auto is_unknown = [&](SliceId s) {
    return s.valid() && call_at.at(s) == kNoIndex && trace.category_class(s) == CategoryClass::kRuntime;
  };
  SliceId outer = slice;
  while (is_unknown(outer)) outer = trace.parent(outer);
  const std::uint32_t found = call_at.at(outer);
  const std::uint32_t call = found == kNoIndex ? kInNoCall : found;
  for (; slice != outer; slice = trace.parent(slice)) call_at.set(slice, call);
  return call == kInNoCall ? kNoIndex : call;
}

}  // namespace

Replay::Replay(const Trace& trace, SourceId source, TimeSpan within) {
  NameMemo is_sync(trace.strings(), is_synchronising_call);
  NameMemo is_communication(trace.strings(), is_communication_kernel);
  const StreamWaits waits(trace);
  SliceNumbers call_at;
  Links::Hint near_launch, near;
  for (const Track& track : trace.tracks()) {
    if (trace.process(track.process).source != source || track.lane_count == 0) continue;
    if (track.kind == TrackKind::kThread) {
      for (std::uint32_t k = 0; k < track.lane_count; ++k) {
        const LaneId id{track.first_lane.value + k};
        const Lane& lane = trace.lane(id);
        bool has_room = false;
        for (std::uint32_t i = 0; i < lane.size(); ++i) {
          if (trace.category_class(lane.category(i)) != CategoryClass::kRuntime) continue;
          const SliceId slice{id, i};
          if (!std::exchange(has_room, true)) call_at.add_lane(id, lane.size());
          // Calls inside calls (the driver's under the runtime's) are part of them.
          const SliceId outer = trace.parent(slice);
          if (outer.valid() && trace.category_class(outer) == CategoryClass::kRuntime) continue;
          if (!is_sync(lane.name(i)) && trace.links().activities_of(slice, near_launch).empty()) continue;
          calls_.push_back(
              {lane.span(i), slice, lane.name(i), static_cast<std::uint32_t>(threads_.size()), kNone, kNone});
        }
      }
      threads_.push_back(track.id);
      const TimeSpan work = span_of_work(trace, track, true);
      thread_spans_.push_back(work.begin <= work.end ? work : track.span);
      works_at_all_.push_back(work.begin <= work.end);
    } else if (track.kind == TrackKind::kGpuStream) {
      for (std::uint32_t k = 0; k < track.lane_count; ++k) {
        const LaneId id{track.first_lane.value + k};
        const Lane& lane = trace.lane(id);
        work_at_.add_lane(id, lane.size());
        for (std::uint32_t i = 0; i < lane.size(); ++i) {
          const CategoryClass category = trace.category_class(lane.category(i));
          if (!is_gpu_activity(category)) continue;
          Work work;
          work.span = lane.span(i);
          work.slice = {id, i};
          work.name = lane.name(i);
          work.is_communication = category == CategoryClass::kKernel && is_communication(lane.name(i));
          works_.push_back(work);
        }
      }
    }
  }
  sort_runs(calls_, [](const Call& a, const Call& b) { return a.span.begin < b.span.begin; });
  sort_runs(works_, [](const Work& a, const Work& b) { return a.span.begin < b.span.begin; });
  for (std::uint32_t c = 0; c < calls_.size(); ++c) call_at.set(calls_[c].slice, c);
  for (std::uint32_t w = 0; w < works_.size(); ++w) work_at_.set(works_[w].slice, w);

  // What each work waited for.
  std::vector<std::uint32_t> last(trace.tracks().size(), kNone);  // by track
  std::vector<std::pair<Nanos, std::uint32_t>> endings;
  endings.reserve(works_.size());
  for (std::uint32_t w = 0; w < works_.size(); ++w) endings.emplace_back(works_[w].span.end, w);
  sort_runs(endings, std::less<>());
  for (std::uint32_t w = 0; w < works_.size(); ++w) {
    Work& work = works_[w];
    std::uint32_t& before = last[trace.lane(work.slice).track.value];
    if (before != kNone) (works_[before].span.end <= work.span.begin ? work.before : work.beside) = before;
    before = w;
    const SliceId launch = trace.links().launch_of(work.slice, near);
    const std::uint32_t call = call_around(trace, launch, call_at);
    if (call != kNone && calls_[call].span.begin <= work.span.begin) work.launch = call;
    const SliceId awaited = waits.target(trace, work.slice);
    if (awaited.valid() && trace.span(awaited).end <= work.span.begin) work.awaited = work_of(awaited);
    // Without events in the file: what ended just before on another stream, as for the causes of gaps.
    Nanos ready = work.launch == kNone ? kMinNanos : calls_[work.launch].span.end;
    if (work.before != kNone) ready = std::max(ready, works_[work.before].span.end);
    if (work.awaited == kNone && ready != kMinNanos && work.span.begin - ready > kLaunchLatencyNs) {
      const auto later = std::ranges::upper_bound(endings, std::pair(work.span.begin, kNone));
      if (later != endings.begin()) {
        const auto [end, other] = *(later - 1);
        if (end > ready && other != w &&
            work.span.begin - end <= std::max(kReleaseDelayNs, (work.span.begin - ready) / kReleaseShare))
          work.awaited = other;
      }
    }
  }

  // What each call waited for: its own copy, or the last work to end before it did.
  for (Call& call : calls_) {
    for (const LaunchLink& link : trace.links().activities_of(call.slice, near_launch)) {
      const TimeSpan span = trace.span(link.activity);
      if (span.end <= call.span.end && (call.waits_for == kNone || span.end > works_[call.waits_for].span.end))
        call.waits_for = work_of(link.activity);
    }
    if (call.waits_for != kNone || !is_sync(call.name)) continue;
    const auto later = std::ranges::upper_bound(endings, std::pair(call.span.end, kNone));
    if (later != endings.begin() && (later - 1)->first > call.span.begin) call.waits_for = (later - 1)->second;
  }
  of_thread_.resize(threads_.size());
  previous_call_.assign(calls_.size(), kNone);
  for (std::uint32_t c = 0; c < calls_.size(); ++c) {
    std::vector<std::uint32_t>& own = of_thread_[calls_[c].thread];
    if (!own.empty()) previous_call_[c] = own.back();
    own.push_back(c);
  }
  link_threads(trace);

  find_window(trace, source, within);

  list_events();
  order_ties();
}

void Replay::list_events() {
  // Calls of a thread may seem to overlap by the last digit of their times; one ends before the next begins.
  std::vector<Nanos> ends;
  for (const Call& call : calls_) ends.push_back(call.span.end);
  for (std::uint32_t c = 0; c < calls_.size(); ++c)
    if (const std::uint32_t previous = previous_call_[c]; previous != kNone)
      ends[previous] = std::min(ends[previous], calls_[c].span.begin);
  events_.reserve(2 * calls_.size() + works_.size());
  for (std::uint32_t c = 0; c < calls_.size(); ++c) events_.push_back({calls_[c].span.begin, 0, c});
  for (std::uint32_t c = 0; c < calls_.size(); ++c) events_.push_back({ends[c], 2, c});
  for (std::uint32_t w = 0; w < works_.size(); ++w) events_.push_back({works_[w].span.begin, 1, w});
  sort_runs(events_,
            [](const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.kind < b.kind; });
}

void Replay::find_window(const Trace& trace, SourceId source, TimeSpan within) {
  const MeasuredSteps measured = find_measured_steps(trace, source);
  window_ = TimeSpan::nothing();
  std::vector<const MeasuredStep*> steps;
  for (std::size_t s = measured.warm_up_count; s < measured.steps.size(); ++s) {
    const MeasuredStep& step = measured.steps[s];
    if (step.paced.begin < within.begin || step.paced.end > within.end) continue;
    steps.push_back(&step);
    steps_.push_back(step.span);
    window_ = window_.unite(step.paced);
  }
  if (!steps.empty()) {
    step_thread_ = thread_of(trace.lane(steps.front()->annotation).track);
  } else {
    const TimeSpan whole = measured.has_steps() ? trace.span() : measured.window;
    window_ = whole.begin <= whole.end ? whole.intersect(within) : TimeSpan{0, 0};
    if (window_.begin > window_.end) window_ = {0, 0};
    steps_.push_back(window_);
  }
  Links::Hint near;
  for (std::uint32_t w = 0; w < works_.size(); ++w) {
    const Work& work = works_[w];
    if (step_thread_ == kNone) {
      if (work.span.end <= window_.end) ending_.push_back(w);
      continue;
    }
    const SliceId launch = trace.links().launch_of(work.slice, near);
    if (!launch.valid()) continue;
    const Nanos launched = trace.span(launch).begin;
    if (launched < steps_.front().begin) {
      if (work.span.end <= window_.begin) earlier_.push_back(w);
    } else if (launched < steps_.back().end && work.span.end <= window_.end) {
      ending_.push_back(w);
    }
  }
}

/// Of events at one time, those that others depend on come first. What is not in order after some passes keeps its
/// measured time in play().
void Replay::order_ties() {
  constexpr int kMostPasses = 16;
  std::vector<bool> has_begun(calls_.size(), false);
  std::vector<bool> has_ended(calls_.size(), false);
  std::vector<bool> is_done(works_.size(), false);
  const auto is = [](const std::vector<bool>& flags, std::uint32_t i) { return i == kNone || flags[i]; };
  const auto is_ready = [&](const Event& event) {
    if (event.kind == 0)
      return is(has_ended, previous_call_[event.index]) && is(has_ended, calls_[event.index].handed_over);
    if (event.kind == 2) return has_begun[event.index] && is(is_done, calls_[event.index].waits_for);
    const Work& work = works_[event.index];
    const bool after_call = work.launch != kNone && calls_[work.launch].span.end <= work.span.begin;
    return is(after_call ? has_ended : has_begun, work.launch) && is(is_done, work.before) &&
           is(is_done, work.beside) && is(is_done, work.awaited);
  };
  const auto finish = [&](const Event& event) {
    (event.kind == 0 ? has_begun : event.kind == 1 ? is_done : has_ended)[event.index] = true;
  };
  std::vector<Event> left, waiting;
  for (std::size_t begin = 0, end = 0; begin < events_.size(); begin = end) {
    while (end < events_.size() && events_[end].time == events_[begin].time) ++end;
    if (end == begin + 1) {
      finish(events_[begin]);
      continue;
    }
    std::size_t next = begin;
    left.assign(events_.begin() + static_cast<std::ptrdiff_t>(begin),
                events_.begin() + static_cast<std::ptrdiff_t>(end));
    for (int pass = 0; pass < kMostPasses && !left.empty(); ++pass) {
      waiting.clear();
      for (const Event& event : left) {
        if (!is_ready(event)) {
          waiting.push_back(event);
          continue;
        }
        finish(event);
        events_[next++] = event;
      }
      left.swap(waiting);
    }
    for (const Event& event : left) {
      finish(event);
      events_[next++] = event;
    }
  }
}

/// A thread that had no operator open before a call while another one worked went on when that one was done.
void Replay::link_threads(const Trace& trace) {
  if (threads_.size() < 2 || calls_.empty()) return;
  std::vector<std::optional<ThreadWork>> works(threads_.size());  // of those with calls
  // A thread that waits for its next batch holds the others up as one that computes.
  std::vector<IntervalSet> loading(threads_.size());
  NameMemo loads(trace.strings(), is_data_loading);
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    std::vector<TimeSpan> spans;
    for (const Lane& lane : trace.lanes_of(trace.track(threads_[t])))
      for (std::uint32_t i = 0; i < lane.size() && !of_thread_[t].empty(); ++i)
        if (loads(lane.name(i))) spans.push_back(lane.span(i));
    loading[t] = IntervalSet(std::move(spans));
  }
  for (std::uint32_t t = 0; t < threads_.size(); ++t)
    if (!of_thread_[t].empty()) works[t].emplace(trace, threads_[t], thread_spans_[t]);
  // The busiest first: those that did too little in all the time need no closer look.
  std::vector<std::pair<Nanos, std::uint32_t>> busiest;
  for (std::uint32_t t = 0; t < threads_.size(); ++t)
    if (works[t]) busiest.emplace_back(works[t]->work_until.back() + loading[t].covered(TimeSpan::everything()), t);
  std::ranges::sort(busiest, std::greater<>());
  std::vector<ThreadWork::Hints> near(threads_.size()), near_earlier(threads_.size());
  for (std::uint32_t c = 0; c < calls_.size(); ++c) {
    Call& call = calls_[c];
    const Nanos begin =
        previous_call_[c] == kNone ? works[call.thread]->window.begin : calls_[previous_call_[c]].span.end;
    // The stretch without work that ends last before the call.
    const TimeSpan own = works[call.thread]->work_before(call.span.begin + 1, near[call.thread]);
    const TimeSpan earlier = works[call.thread]->work_before(own.begin, near_earlier[call.thread]);
    const TimeSpan silence{std::max(begin, earlier.end), own.begin};
    if (silence.duration() < kShortestHandoverNs) continue;
    const Nanos least = silence.duration() / kHandoverShare;
    Nanos latest = silence.begin;
    for (const auto& [all_work, t] : busiest) {
      if (all_work < least) break;
      if (t == call.thread || works[t]->work_in(silence) + loading[t].covered(silence) < least) continue;
      const auto& calls = of_thread_[t];
      const auto later =
          std::ranges::upper_bound(calls, silence.end, {}, [&](std::uint32_t i) { return calls_[i].span.end; });
      if (later == calls.begin()) continue;
      const std::uint32_t other = *(later - 1);
      const Nanos end = calls_[other].span.end;
      if (end < latest || end > call.span.begin ||
          (end == latest && (call.handed_over == kNone || t > calls_[call.handed_over].thread)))
        continue;
      latest = end;
      call.handed_over = other;
    }
  }
}

std::uint32_t Replay::work_of(SliceId slice) const {
  return work_at_.at(slice);
}

std::uint32_t Replay::thread_of(TrackId track) const {
  const auto found = std::ranges::lower_bound(threads_, track);
  return found == threads_.end() || *found != track ? kNone : static_cast<std::uint32_t>(found - threads_.begin());
}

Nanos Replay::cpu_time(const ReplayEdit& edit, std::uint32_t thread, TimeSpan span) const {
  if (span.empty()) return 0;
  double time = static_cast<double>(span.duration());
  for (const ReplayEdit::Scaled& scaled : edit.cpu[thread])
    time += (scaled.factor - 1) * static_cast<double>(scaled.where.covered(span));
  return std::max<Nanos>(0, static_cast<Nanos>(time));
}

Nanos Replay::play(const ReplayEdit& edit) const {
  // Measured, until played.
  std::vector<Nanos> begins;
  std::vector<Nanos> ends;
  std::vector<Nanos> done;
  for (const Call& call : calls_) {
    begins.push_back(call.span.begin);
    ends.push_back(call.span.end);
  }
  for (const Work& work : works_) done.push_back(work.span.end);
  // A delay that was measured; kept whole for what was waited for last.
  const auto after = [](Nanos then, Nanos measured, bool was_last) {
    return then + (was_last ? measured : std::clamp<Nanos>(measured, 0, kLeastDelayNs));
  };
  CpuClock clock(edit);
  for (const Event& event : events_) {
    if (event.kind == 0) {
      const Call& call = calls_[event.index];
      const std::uint32_t previous = previous_call_[event.index];
      // A thread begins when it did in the trace.
      const Nanos from =
          previous == kNone ? std::min(thread_spans_[call.thread].begin, call.span.begin) : calls_[previous].span.end;
      Nanos begin = previous == kNone ? from : ends[previous];
      if (call.handed_over != kNone) {
        // Its own time before counts from the other thread's end on.
        const Nanos handed = calls_[call.handed_over].span.end;
        begin = std::max(begin, ends[call.handed_over] + clock.time(call.thread, {handed, call.span.begin}));
      } else {
        begin += clock.time(call.thread, {from, call.span.begin});
      }
      begins[event.index] = begin;
    } else if (event.kind == 2) {
      const Call& call = calls_[event.index];
      Nanos own = clock.time(call.thread, call.span);
      if (call.waits_for != kNone) {
        const Work& work = works_[call.waits_for];
        const Nanos tail = clock.time(call.thread, {work.span.end, call.span.end});
        own = std::min(own, std::max(tail, std::min(own, kLeastDelayNs)));
        ends[event.index] = begins[event.index] + own;
        if (!edit.does_not_wait[event.index] && !edit.aside[call.waits_for])
          ends[event.index] = std::max(ends[event.index], done[call.waits_for] + tail);
      } else {
        ends[event.index] = begins[event.index] + own;
      }
    } else {
      const Work& work = works_[event.index];
      const Nanos start = work.span.begin;
      std::uint32_t before = work.before;
      while (before != kNone && edit.aside[before] && !edit.aside[event.index]) before = works_[before].before;
      const bool is_awaited = work.awaited != kNone && !edit.needs_no_other[event.index] &&
                              (!edit.aside[work.awaited] || edit.aside[event.index]);
      const Nanos launched = issued(work);
      const Nanos free = work.before == kNone ? kMinNanos : works_[work.before].span.end;
      const Nanos released = work.awaited == kNone ? kMinNanos : works_[work.awaited].span.end;
      const Nanos last = std::max({launched, free, released});
      Nanos begin = last == kMinNanos ? start : kMinNanos;
      if (work.launch != kNone && !edit.needs_no_launch[event.index]) {
        // Inside its call, what the thread did of that before it started takes as long as the thread takes for it.
        const Call& call = calls_[work.launch];
        const bool in_call = launched != call.span.end;
        const Nanos delay = in_call ? clock.time(call.thread, {launched, start}) : start - launched;
        begin = std::max(begin, after(in_call ? begins[work.launch] : ends[work.launch], delay,
                                      launched == last && !edit.not_held_back[event.index]));
      }
      if (before != kNone) {
        const Nanos gap = edit.at_once[event.index] ? 0 : start - works_[before].span.end;
        begin = std::max(begin, after(done[before], gap, free == last && before == work.before));
      }
      // Some begin before the end of what is before them on their stream, but by no more than measured.
      if (work.beside != kNone && !edit.aside[work.beside]) {
        const auto overlap =
            static_cast<double>(works_[work.beside].span.end - start) * std::min(1.0, edit.work_factor[work.beside]);
        begin = std::max(begin, done[work.beside] - static_cast<Nanos>(overlap));
      }
      if (is_awaited) begin = std::max(begin, after(done[work.awaited], start - released, released == last));
      // All that it depended on is gone: it starts with its launch.
      if (begin == kMinNanos) begin = work.launch == kNone ? start : begins[work.launch];
      done[event.index] =
          begin + static_cast<Nanos>(static_cast<double>(work.span.duration()) * edit.work_factor[event.index]);
    }
  }

  // When a thread comes to a moment of the trace.
  const auto thread_at = [&](std::uint32_t thread, Nanos t) {
    const std::vector<std::uint32_t>& calls = of_thread_[thread];
    const auto later = std::ranges::upper_bound(calls, t, {}, [&](std::uint32_t c) { return calls_[c].span.end; });
    if (calls.empty()) {
      // Nothing holds it up: its own time from its beginning on.
      const Nanos begin = thread_spans_[thread].begin;
      return t <= begin ? t : begin + cpu_time(edit, thread, {begin, t});
    }
    if (later == calls.begin()) {
      const TimeSpan first = calls_[calls.front()].span;
      if (t < first.begin) return begins[calls.front()] - cpu_time(edit, thread, {t, first.begin});
      return begins[calls.front()] + cpu_time(edit, thread, {first.begin, t});
    }
    const std::uint32_t call = *(later - 1);
    return ends[call] + cpu_time(edit, thread, {calls_[call].span.end, t});
  };
  const auto finished = [&](const std::vector<std::uint32_t>& works) {
    Nanos end = kMinNanos;
    for (const std::uint32_t w : works)
      if (!edit.aside[w]) end = std::max(end, done[w]);
    return end;
  };
  if (step_thread_ != kNone) {
    const Nanos begin = std::max(thread_at(step_thread_, steps_.front().begin), finished(earlier_));
    const Nanos end = std::max(thread_at(step_thread_, steps_.back().end), finished(ending_));
    return std::max<Nanos>(0, end - begin);
  }
  // The end is held up by threads that ask something of the GPU; without a GPU by those that do any work, and only
  // where there are none by those of which no more than frames is known.
  const bool any_works = std::ranges::find(works_at_all_, true) != works_at_all_.end();
  const auto counts = [&](std::uint32_t t) {
    return calls_.empty() ? works_at_all_[t] || !any_works : !of_thread_[t].empty();
  };
  Nanos end = finished(ending_);
  Nanos measured = kMinNanos;
  for (const std::uint32_t w : ending_) measured = std::max(measured, works_[w].span.end);
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (!counts(t) || thread_spans_[t].begin >= window_.end) continue;
    const Nanos last = std::min(thread_spans_[t].end, window_.end);
    measured = std::max(measured, last);
    end = std::max(end, thread_at(t, last));
  }
  if (end == kMinNanos) return window_.duration();
  // What others do after that takes as long as it did.
  return std::max<Nanos>(0, end - window_.begin + (window_.end - measured));
}

Nanos Replay::busiest_stream(const Trace& trace, const ReplayEdit& edit) const {
  std::vector<Nanos> busy(trace.tracks().size(), 0);
  Nanos most = 0;
  for (const std::uint32_t w : ending_) {
    if (edit.aside[w]) continue;
    Nanos& sum = busy[trace.lane(works_[w].slice).track.value];
    sum += static_cast<Nanos>(static_cast<double>(works_[w].span.duration()) * edit.work_factor[w]);
    most = std::max(most, sum);
  }
  return most;
}

Nanos Replay::issued(const Work& work) const {
  if (work.launch == kNone) return kMinNanos;
  const TimeSpan call = calls_[work.launch].span;
  return call.end <= work.span.begin ? call.end : call.begin;
}

}  // namespace lacuna
