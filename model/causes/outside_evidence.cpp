#include "model/causes/outside_evidence.h"

#include <algorithm>
#include <charconv>
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

Nanos samples_in(Nanos time, Nanos period) {
  return (time + period / 2) / period;
}

void look_at_stacks_track(const Trace& trace, const Track& track, TimeSpan window, OutsideEvidence& out) {
  if (track.sample_period <= 0) return;
  Nanos whole = 0;
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {  // outermost first: the last one found is the innermost
    struct Sum {
      Nanos time = 0, longest = 0;
      SliceId slice;
    };
    std::unordered_map<StringId, Sum> sums;
    for_each_in_window(trace, LaneId{track.first_lane.value + k}, window, [&](SliceId slice, Nanos time) {
      Sum& sum = sums[trace.lane(slice).name(slice.index)];
      sum.time += time;
      if (time > sum.longest) {
        sum.longest = time;
        sum.slice = slice;
      }
      if (k == 0) whole += time;
    });
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

OutsideEvidence look_from_outside(const Trace& trace, TrackId thread, TimeSpan window) {
  OutsideEvidence evidence;
  const Track& about = trace.track(thread);
  const std::string_view tid = trace.text(about.tid);
  std::uint64_t number = 0;
  if (std::from_chars(tid.data(), tid.data() + tid.size(), number).ec != std::errc{}) return evidence;
  for (const TrackId id : trace.process(about.process).tracks) {
    const Track& track = trace.track(id);
    if (!is_beside_thread(track.kind) || thread_of_sampled(trace.text(track.tid)) != number) continue;
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
