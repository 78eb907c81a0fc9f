#include "model/causes/start_delay.h"

#include <algorithm>

#include "model/base/plural.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// The first slice of a lane that begins at `t` or later.
std::uint32_t first_from(const Lane& lane, Nanos t) {
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(lane.size());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    lane.start(middle) < t ? low = middle + 1 : high = middle;
  }
  return low;
}

/// The profiler's own work that overlaps `span` most; for half of it or more.
SliceId overhead_in(const Trace& trace, TimeSpan span) {
  SliceId longest;
  Nanos most = span.duration() / 2;
  for (const Track& track : tracks_of(trace, TrackKind::kThread)) {
    if (track.slice_count == 0 || track.span.begin >= span.end || track.span.end <= span.begin) continue;
    const Lane& first = trace.lanes()[track.first_lane.value];
    if (first.size() == 0 || trace.category_class(first.category(0)) != CategoryClass::kOverhead) continue;
    for (std::uint32_t l = 0; l < track.lane_count; ++l) {
      const Lane& lane = trace.lanes()[track.first_lane.value + l];
      for (std::uint32_t i = first_from(lane, span.end); i-- > 0 && lane.end(i) > span.begin;) {
        const Nanos both = lane.span(i).intersect(span).duration();
        if (both < most || both <= 0) continue;
        most = both;
        longest = {LaneId{track.first_lane.value + l}, i};
      }
    }
  }
  return longest;
}

}  // namespace

std::optional<StartDelay> start_delay(const Trace& trace, SliceId activity) {
  StartDelay delay;
  delay.launch = trace.links().launch_of(activity);
  if (!delay.launch.valid()) return std::nullopt;
  const Nanos launched = trace.span(delay.launch).end;
  const Nanos started = trace.span(activity).begin;
  if (started <= launched) return std::nullopt;
  const Track& track = trace.track_of(activity);
  Nanos free_from = launched;
  for (std::uint32_t l = 0; l < track.lane_count; ++l) {
    const Lane& lane = trace.lanes()[track.first_lane.value + l];
    // Within a lane ends ascend as starts do.
    for (std::uint32_t i = first_from(lane, started); i-- > 0 && lane.end(i) > launched;) {
      ++delay.ahead;
      free_from = std::max(free_from, std::min(lane.end(i), started));
    }
  }
  delay.queued = {launched, free_from};
  delay.latency = {free_from, started};
  if (!delay.latency.empty()) delay.overhead = overhead_in(trace, delay.latency);
  return delay;
}

std::string queued_words(const StartDelay& delay, std::string (*duration)(Nanos)) {
  return "queued behind " + std::to_string(delay.ahead) + " " + noun_after(delay.ahead, "activity") + " for " +
         duration(delay.queued.duration());
}

std::string latency_words(const Trace& trace, const StartDelay& delay, std::string (*duration)(Nanos)) {
  if (!delay.overhead.valid()) return "launch latency " + duration(delay.latency.duration());
  return "held up " + duration(delay.latency.duration()) + ", of which the profiler took " +
         duration(trace.span(delay.overhead).intersect(delay.latency).duration()) + ": " +
         std::string(trace.name(delay.overhead));
}

}  // namespace lacuna
