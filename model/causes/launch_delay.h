#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// One call that started GPU work, with all it started: mostly one kernel, for a graph launch
/// hundreds, which count as one here.
///
///     CPU   [== launch ==]
///     GPU                    [### first ###][###]…
///           |<- since_start ->|
///                        |<-->| delay
struct LaunchGroup {
  SliceId launch;
  SliceId first_activity;  ///< the one that started first
  std::uint32_t activities = 0;
  Nanos delay = 0;        ///< first activity's start - end of the call; not below 0 (as HTA)
  Nanos since_start = 0;  ///< … - start of the call; likewise
  Nanos gpu_time = 0;     ///< length of the union of its activities
  Nanos cpu_time = 0;     ///< duration of the call

  bool of_graph = false;  ///< the call launches graphs, by its name
  /// On ROCm other calls may share a correlation with several activities, too.
  bool is_graph() const { return of_graph && activities > 1; }
  /// The GPU needs less time than it took to ask: such work cannot keep the GPU ahead of the CPU.
  bool is_short() const { return gpu_time < cpu_time; }
};

/// All of them, ascending by the start of the call within a file. O(n log n) in the links.
std::vector<LaunchGroup> launch_groups(const Trace& trace);

/// Launches of one kind of activity: by the name of the first activity; graphs by that of the call.
struct LaunchDelayRow {
  StringId name = kEmptyString;
  bool is_graph = false;
  std::uint64_t launches = 0;
  std::uint64_t activities = 0;
  std::uint64_t short_ones = 0;
  Nanos gpu_time = 0;   ///< sum
  Nanos cpu_time = 0;   ///< sum
  Nanos delay = 0;      ///< sum
  Nanos delay_p50 = 0;  ///< nearest rank
  Nanos delay_p99 = 0;
  Nanos delay_max = 0;
  LaunchGroup slowest;  ///< the launch with the longest delay
};
/// Rows with the most short launches first, then with the most launches: what the CPU pays for
/// little GPU work. O(n log n).
std::vector<LaunchDelayRow> summarise_launches(const Trace& trace, const std::vector<LaunchGroup>& groups);

/// How much work waited in a stream's queue: +1 when a launch begins, -1 when the first activity
/// that it started on this stream does. A graph launch counts once per stream. Work without a
/// launch in the file does not count, nor does work that seems to start before its launch.
struct QueueDepth {
  SourceId source;
  StringId device = kEmptyString;
  StringId stream = kEmptyString;
  TrackId track;               ///< the first one of the stream
  CounterSeries depth;         ///< whole numbers ≥ 0; one sample per time at which it changes
  std::uint64_t launches = 0;  ///< that count
};

/// From this depth on, the CPU waits in its launches for a free place (HTA's and CUDA's figure).
inline constexpr double kFullQueue = 1024;

/// One entry per stream that has linked activity, by source, device and stream. O(n log n).
std::vector<QueueDepth> queue_depths(const Trace& trace);

}  // namespace lacuna
