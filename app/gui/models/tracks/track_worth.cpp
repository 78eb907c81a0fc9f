#include "app/gui/models/tracks/track_worth.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "app/gui/core/waiting_names.h"
#include "model/base/stable_sort.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kLookedAt = 2000;  // slices of a lane, spread over it
constexpr std::uint64_t kFewSlices = 64;   // more than that is work, whatever the innermost frame is called
constexpr double kNearlyAll = 0.9;
constexpr double kHardlyRuns = 0.02;
constexpr double kShareSteps = 4;            // quarters of the time
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

/// Which part of the time that its states say it ran or could have run, 0 to 1; -1 where nothing says.
double share_of_running(const Trace& trace, const Track& states) {
  double active = 0, all = 0;
  for (std::uint32_t l = 0; l < states.lane_count; ++l) {
    const Lane& lane = trace.lanes()[states.first_lane.value + l];
    const std::uint64_t step = 1 + lane.size() / kLookedAt;
    for (std::uint64_t i = 0; i < lane.size(); i += step) {
      const auto slice = static_cast<std::uint32_t>(i);
      const auto duration = static_cast<double>(lane.duration(slice));
      all += duration;
      if (!is_waiting_state(trace.text(lane.name(slice)))) active += duration;
    }
  }
  return all > 0 ? active / all : -1;
}

/// A thread with what stands beside it (model/trace/sampled_tracks.h).
struct Family {
  const Track* thread = nullptr;
  std::vector<TrackId> tracks;
  double running = -1;
  std::uint64_t tid = 0;
};

/// The families of a process in the order in which they are shown.
std::vector<Family> families_of(const Trace& trace, const Process& process) {
  std::vector<Family> families;
  for (const TrackId id : process.tracks) {
    const Track& track = trace.track(id);
    const bool is_beside = traits_of(track.kind).is_observed;
    if (!is_beside && !is_cpu_thread(trace, track)) continue;
    const std::uint64_t tid = thread_of_sampled(trace.text(track.tid));
    // What stands beside a thread follows it; tids that are no numbers are 0.
    if (families.empty() || tid == 0 || families.back().tid != tid) families.emplace_back().tid = tid;
    Family& family = families.back();
    family.tracks.push_back(id);
    if (!is_beside && family.thread == nullptr) family.thread = &track;
    if (track.kind == TrackKind::kThreadStates) family.running = share_of_running(trace, track);
  }
  return families;
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
  using Worth = std::tuple<bool, bool, int, int>;
  const auto judged = [&](const Family& family) -> Worth {
    const auto size = family.thread != nullptr ? static_cast<int>(std::bit_width(family.thread->slice_count)) : 0;
    return {worth.waits[family.tracks.front().value] != 0, family.thread == nullptr || !launches(trace, *family.thread),
            -(size / 2), -static_cast<int>(family.running * kShareSteps)};
  };
  bool is_other = false;
  for (const Process& process : trace.processes()) {
    const bool is_single = has_single_instant(trace, process);
    for (std::uint32_t i = 0; i < process.tracks.size(); ++i) {
      const TrackId id = process.tracks[i];
      worth.ranks[id.value] = i;
      worth.is_single_instant[id.value] = is_single ? 1 : 0;
    }
    std::vector<Family> families = families_of(trace, process);
    std::vector<std::uint32_t> places;
    for (const Family& family : families) {
      const bool has_work = family.thread != nullptr && family.thread->slice_count > kFewSlices;
      const bool waits = (family.thread != nullptr && only_waits(trace, *family.thread)) ||
                         (!has_work && family.running >= 0 && family.running < kHardlyRuns);
      for (const TrackId id : family.tracks) {
        places.push_back(worth.ranks[id.value]);
        worth.waits[id.value] = waits ? 1 : 0;
      }
      if (family.thread != nullptr)
        worth.outer_frames[family.thread->id.value] = outer_frames_of(trace, *family.thread);
    }
    std::ranges::sort(places);
    sort_stably(families, {}, judged);
    std::size_t next = 0;
    for (const Family& family : families)
      for (const TrackId id : family.tracks) {
        is_other = is_other || worth.ranks[id.value] != places[next];
        worth.ranks[id.value] = places[next++];
      }
  }
  if (!is_other) worth.ranks.clear();
  return worth;
}

}  // namespace lacuna
