// By how much each call and work could be later without making the end later: the replay's graph, backwards.

#include <algorithm>

#include "model/path/replay.h"

namespace lacuna {

Replay::Slack Replay::slack(Nanos end, TrackId last_thread) const {
  // The latest times, until something needs them earlier.
  std::vector<Nanos> done, begins, ends;
  for (const Work& work : works_) done.push_back(std::max(work.span.end, end));
  for (const Call& call : calls_) {
    begins.push_back(std::max(call.span.begin, end));
    ends.push_back(std::max(call.span.end, end));
  }
  const auto lower = [](Nanos& latest, Nanos value) { latest = std::min(latest, value); };
  // What a thread still does after its last call.
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    const std::vector<std::uint32_t>& calls = of_thread_[t];
    const auto later = std::ranges::upper_bound(calls, end, {}, [&](std::uint32_t c) { return calls_[c].span.end; });
    if (later == calls.begin()) continue;
    const std::uint32_t call = *(later - 1);
    const Nanos until = threads_[t] == last_thread ? end : std::min(thread_spans_[t].end, end);
    lower(ends[call], end - std::max<Nanos>(0, until - calls_[call].span.end));
  }
  const auto spacing = [](Nanos measured, bool was_last) {
    return was_last ? measured : std::clamp<Nanos>(measured, 0, kLeastDelayNs);
  };
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    if (event->time > end) continue;  // what begins after the end can wait
    const std::uint32_t i = event->index;
    if (event->kind == 0) {
      const Call& call = calls_[i];
      const std::uint32_t previous = previous_call_[i];
      if (call.handed_over != kNone) {
        lower(ends[call.handed_over], begins[i] - (call.span.begin - calls_[call.handed_over].span.end));
        if (previous != kNone) lower(ends[previous], begins[i]);
      } else if (previous != kNone) {
        lower(ends[previous], begins[i] - (call.span.begin - calls_[previous].span.end));
      }
    } else if (event->kind == 2) {
      const Call& call = calls_[i];
      Nanos own = call.span.duration();
      if (call.waits_for != kNone) {
        const Nanos tail = std::max<Nanos>(0, call.span.end - works_[call.waits_for].span.end);
        lower(done[call.waits_for], ends[i] - tail);
        own = std::min(own, std::max(tail, std::min(own, kLeastDelayNs)));
      }
      lower(begins[i], ends[i] - own);
    } else {
      const Work& work = works_[i];
      const Nanos start = done[i] - work.span.duration();
      const Nanos launched = issued(work);
      const Nanos free = work.before == kNone ? kMinNanos : works_[work.before].span.end;
      const Nanos released = work.awaited == kNone ? kMinNanos : works_[work.awaited].span.end;
      const Nanos last = std::max({launched, free, released});
      if (work.launch != kNone)
        lower(launched == calls_[work.launch].span.end ? ends[work.launch] : begins[work.launch],
              start - spacing(work.span.begin - launched, launched == last));
      if (work.before != kNone) lower(done[work.before], start - spacing(work.span.begin - free, free == last));
      if (work.beside != kNone) lower(done[work.beside], start + (works_[work.beside].span.end - work.span.begin));
      if (work.awaited != kNone)
        lower(done[work.awaited], start - spacing(work.span.begin - released, released == last));
    }
  }
  Slack slack;
  slack.end = end;
  for (std::uint32_t w = 0; w < works_.size(); ++w)
    slack.of_work.push_back(std::max<Nanos>(0, done[w] - works_[w].span.end));
  for (std::uint32_t c = 0; c < calls_.size(); ++c) {
    slack.of_begin.push_back(std::max<Nanos>(0, begins[c] - calls_[c].span.begin));
    slack.of_end.push_back(std::max<Nanos>(0, ends[c] - calls_[c].span.end));
  }
  return slack;
}

std::optional<Nanos> Replay::slack_of_thread(const Slack& slack, TrackId thread, Nanos t) const {
  const auto found = std::ranges::find(threads_, thread);
  if (found == threads_.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(found - threads_.begin());
  const std::vector<std::uint32_t>& calls = of_thread_[index];
  if (calls.empty()) return std::nullopt;
  // The first that ends at t or later: t lies in it, or before it.
  const auto next = std::ranges::lower_bound(calls, t, {}, [&](std::uint32_t c) { return calls_[c].span.end; });
  if (next == calls.end()) return std::max<Nanos>(0, slack.end - std::min(thread_spans_[index].end, slack.end));
  return calls_[*next].span.begin < t ? slack.of_end[*next] : slack.of_begin[*next];
}

}  // namespace lacuna
