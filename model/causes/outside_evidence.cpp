#include "model/causes/outside_evidence.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

/// Calls visit(SliceId, time in the window) for each slice of a lane that has some.
template <class Visit>
void for_each_in_window(const Trace& trace, LaneId id, TimeSpan window, Visit&& visit) {
  const Lane& lane = trace.lane(id);
  const std::uint32_t first = lane.first_visible_from(window.begin);
  const std::uint32_t last = lane.first_starting_from(window.end, first);
  for (std::uint32_t i = first; i < last; ++i)
    if (const Nanos time = lane.span(i).intersect(window).duration(); time > 0) visit(SliceId{id, i}, time);
}

void look_at_states_track(const Trace& trace, const Track& track, TimeSpan window, OutsideEvidence& out) {
  std::unordered_map<StringId, Nanos> waited;
  Nanos longest = 0, most = 0;
  out.has_states = true;
  for (std::uint32_t k = 0; k < track.lane_count; ++k)
    for_each_in_window(trace, LaneId{track.first_lane.value + k}, window, [&](SliceId slice, Nanos time) {
      const StringId name = trace.lane(slice).name(slice.index);
      const std::string_view state = trace.text(name);
      if (state == kRunningState) return;
      if (state == kPreemptedState) {
        out.preempted += time;
      } else {
        out.waiting += time;
        Nanos& sum = waited[name];
        sum += time;
        if (sum > most) {
          most = sum;
          out.most_waited = name;
        }
      }
      if (time > longest) {
        longest = time;
        out.longest_off = slice;
      }
    });
}

std::optional<std::uint64_t> number_of_thread(const Trace& trace, TrackId thread) {
  const std::string_view tid = trace.text(trace.track(thread).tid);
  std::uint64_t number = 0;
  if (std::from_chars(tid.data(), tid.data() + tid.size(), number).ec != std::errc{}) return std::nullopt;
  return number;
}

Nanos samples_in(Nanos time, Nanos period) {
  return (time + period / 2) / period;
}

/// How many outer rows have one frame in all of the window. They nest: all others are inside of the last one's.
std::uint32_t rows_without_change(const Trace& trace, const Track& track, std::uint32_t nested_rows, TimeSpan window) {
  const auto is_one_frame = [&](std::uint32_t k) {
    const Lane& lane = trace.lane(LaneId{track.first_lane.value + k});
    const std::uint32_t i = lane.first_visible_from(window.begin);
    return i < lane.size() && lane.start(i) <= window.begin && lane.end(i) >= window.end;
  };
  std::uint32_t same = 0;
  for (std::uint32_t end = nested_rows; same < end;) {
    const std::uint32_t middle = same + (end - same) / 2;
    is_one_frame(middle) ? same = middle + 1 : end = middle;
  }
  return same;
}

void look_at_stacks_track(const Trace& trace, const Track& track, TimeSpan window, OutsideEvidence& out) {
  if (track.sample_period <= 0 || window.empty()) return;
  std::uint32_t nested_rows = 0;
  while (nested_rows < track.lane_count && trace.lane(LaneId{track.first_lane.value + nested_rows}).nest == 0)
    ++nested_rows;
  const std::uint32_t same = rows_without_change(trace, track, nested_rows, window);
  Nanos whole = 0;
  // Outermost first: the last one found is the innermost. Of rows that stay the same, the innermost is enough.
  for (std::uint32_t k = same > 0 ? same - 1 : 0; k < track.lane_count; ++k) {
    struct Sum {
      Nanos time = 0, longest = 0;
      SliceId slice;
    };
    std::unordered_map<StringId, Sum> sums;
    Nanos of_row = 0;
    for_each_in_window(trace, LaneId{track.first_lane.value + k}, window, [&](SliceId slice, Nanos time) {
      Sum& sum = sums[trace.lane(slice).name(slice.index)];
      sum.time += time;
      if (time > sum.longest) {
        sum.longest = time;
        sum.slice = slice;
      }
      of_row += time;
    });
    if (k + 1 == same || k == 0) whole = of_row;
    if (k < nested_rows && of_row < whole - of_row) {
      k = nested_rows - 1;  // nor have those inside half of it
      continue;
    }
    for (const auto& [name, sum] : sums) {
      if (sum.time < whole - sum.time) continue;
      // Of two that have exactly half, the one with the lower id: the same in every run.
      if (out.frame_slice.valid() && trace.lane(out.frame_slice).depth == trace.lane(sum.slice).depth &&
          out.frame < name)
        continue;
      out.frame = name;
      out.frame_slice = sum.slice;
      out.in_frame = samples_in(sum.time, track.sample_period);
    }
  }
  out.samples = samples_in(whole, track.sample_period);
}

}  // namespace

TracksBeside::TracksBeside(const Trace& trace) {
  std::vector<std::pair<std::pair<ProcessId, std::uint64_t>, TrackId>> found;
  for (const Process& process : trace.processes())
    for (const TrackId id : process.tracks)
      if (const Track& track = trace.track(id); traits_of(track.kind).is_observed)
        found.push_back({{track.process, thread_of_sampled(trace.text(track.tid))}, id});
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  for (const auto& [thread, track] : found) {
    threads_.push_back(thread);
    tracks_.push_back(track);
  }
}

std::span<const TrackId> TracksBeside::of(const Trace& trace, TrackId thread) const {
  const std::optional<std::uint64_t> number = number_of_thread(trace, thread);
  if (!number) return {};
  const auto [first, last] =
      std::equal_range(threads_.begin(), threads_.end(), std::pair(trace.track(thread).process, *number));
  return std::span(tracks_).subspan(static_cast<std::size_t>(first - threads_.begin()),
                                    static_cast<std::size_t>(last - first));
}

OutsideEvidence look_from_outside(const Trace& trace, TrackId thread, TimeSpan window) {
  const std::optional<std::uint64_t> number = number_of_thread(trace, thread);
  if (!number) return {};
  std::vector<TrackId> beside;
  for (const TrackId id : trace.process(trace.track(thread).process).tracks)
    if (const Track& track = trace.track(id);
        traits_of(track.kind).is_observed && thread_of_sampled(trace.text(track.tid)) == *number)
      beside.push_back(id);
  return look_from_outside(trace, beside, window);
}

OutsideEvidence look_from_outside(const Trace& trace, std::span<const TrackId> beside, TimeSpan window) {
  OutsideEvidence evidence;
  for (const TrackId id : beside) {
    const Track& track = trace.track(id);
    if (track.kind == TrackKind::kThreadStates) {
      look_at_states_track(trace, track, window, evidence);
    } else {
      look_at_stacks_track(trace, track, window, evidence);
    }
  }
  return evidence;
}

std::string describe_outside(const Trace& trace, TrackId thread, TimeSpan window, const OutsideEvidence& evidence,
                             std::string (*duration)(Nanos)) {
  std::string text;
  const Nanos off = evidence.not_scheduled();
  if (off > 0 && off >= window.duration() / kNotScheduledShare) {
    text = fmt::format("thread {} was not scheduled for {}", trace.text(trace.track(thread).name), duration(off));
    if (evidence.waiting >= evidence.preempted) {
      text += fmt::format(" ({})", trace.text(evidence.most_waited));
    } else {
      text += fmt::format(" ({} preempted)", duration(evidence.preempted));
    }
  }
  if (evidence.samples >= kFewestSamples && evidence.in_frame > 0)
    text += fmt::format("{}in {} by {} of {} samples", text.empty() ? "" : ", ", trace.text(evidence.frame),
                        evidence.in_frame, evidence.samples);
  return text;
}

}  // namespace lacuna
