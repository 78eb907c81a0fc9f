#include "app/gui/models/tracks/track_worth.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "app/gui/core/waiting_names.h"
#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kLookedAt = 2000;  // slices of a lane, spread over it
constexpr std::uint64_t kFewSlices = 64;   // more than that is work, whatever the innermost frame is called
constexpr double kNearlyAll = 0.9;
constexpr std::uint32_t kLeastSqueezed = 3;  // frames: fewer save no more than a row

bool is_cpu_thread(const Trace& trace, const Track& track) {
  return track.slice_count > 0 && track.kind == TrackKind::kThread && !trace.process(track.process).is_gpu;
}

bool launches(const Trace& trace, const Track& track) {
  for (std::uint32_t l = 0; l < track.lane_count; ++l) {
    const Lane& lane = trace.lanes()[track.first_lane.value + l];
    const std::uint64_t step = 1 + lane.size() / kLookedAt;
    for (std::uint64_t i = 0; i < lane.size(); i += step)
      if (trace.category_class(lane.category(static_cast<std::uint32_t>(i))) == CategoryClass::kRuntime) return true;
  }
  return false;
}

/// Few slices, and a waiting frame covers nearly all of the thread's time.
bool only_waits(const Trace& trace, const Track& track) {
  if (track.slice_count > kFewSlices) return false;
  Nanos waited = 0;
  for (std::uint32_t l = 0; l < track.lane_count; ++l) {
    const Lane& lane = trace.lanes()[track.first_lane.value + l];
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (trace.category_class(lane.category(i)) != CategoryClass::kPythonFunction) return false;
      if (!is_waiting_frame(trace.text(lane.name(i)))) continue;
      waited = std::max(waited, lane.span(i).duration());
    }
  }
  return static_cast<double>(waited) >= kNearlyAll * static_cast<double>(track.span.duration()) && waited > 0;
}

std::uint32_t outer_frames_of(const Trace& trace, const Track& track) {
  std::uint32_t count = 0;
  for (; count < track.lane_count; ++count) {
    const Lane& lane = trace.lanes()[track.first_lane.value + count];
    if (lane.nest != 0 || lane.size() != 1 ||
        trace.category_class(lane.category(0)) != CategoryClass::kPythonFunction ||
        static_cast<double>(lane.duration(0)) < kNearlyAll * static_cast<double>(track.span.duration()))
      break;
  }
  // What is squeezed stands above something.
  return count >= kLeastSqueezed && count < track.lane_count ? count : 0;
}

bool has_single_instant(const Trace& trace, const Process& process) {
  std::size_t instants = 0;
  for (const TrackId id : process.tracks) {
    const Track& track = trace.track(id);
    if (track.slice_count > 0 || !track.counter.times.empty()) return false;
    instants += track.instants.size();
  }
  return instants == 1;
}

}  // namespace

TrackWorth judge_tracks(const Trace& trace) {
  TrackWorth worth;
  worth.waits.assign(trace.tracks().size(), 0);
  worth.outer_frames.assign(trace.tracks().size(), 0);
  worth.is_single_instant.assign(trace.tracks().size(), 0);
  worth.ranks.assign(trace.tracks().size(), 0);
  // Smaller comes first. Slices are compared roughly, so that threads of a recording do not change places as they grow.
  using Worth = std::tuple<bool, bool, int>;
  const auto judged = [&](const Track& track) -> Worth {
    const auto size = static_cast<int>(std::bit_width(track.slice_count));
    return {worth.waits[track.id.value] != 0, !launches(trace, track), -(size / 2)};
  };
  bool is_other = false;
  for (const Process& process : trace.processes()) {
    struct Placed {
      TrackId id;
      Worth worth;
    };
    // Stacks and states of a thread stand below it: such threads stay where they are.
    const bool has_companions = std::ranges::any_of(process.tracks, [&](TrackId id) {
      const TrackKind kind = trace.track(id).kind;
      return kind == TrackKind::kStacks || kind == TrackKind::kThreadStates;
    });
    const bool is_single = has_single_instant(trace, process);
    std::vector<std::uint32_t> places;
    std::vector<Placed> threads;
    for (std::uint32_t i = 0; i < process.tracks.size(); ++i) {
      const Track& track = trace.track(process.tracks[i]);
      worth.ranks[track.id.value] = i;
      worth.is_single_instant[track.id.value] = is_single ? 1 : 0;
      if (!is_cpu_thread(trace, track)) continue;
      worth.waits[track.id.value] = only_waits(trace, track) ? 1 : 0;
      worth.outer_frames[track.id.value] = outer_frames_of(trace, track);
      if (has_companions) continue;
      threads.push_back({track.id, judged(track)});
      places.push_back(i);
    }
    sort_stably(threads, {}, &Placed::worth);
    for (std::size_t i = 0; i < threads.size(); ++i) {
      is_other = is_other || worth.ranks[threads[i].id.value] != places[i];
      worth.ranks[threads[i].id.value] = places[i];
    }
  }
  if (!is_other) worth.ranks.clear();
  return worth;
}

}  // namespace lacuna
