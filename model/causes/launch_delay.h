#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// One call that started GPU work, with all its activities: mostly one kernel; a graph launch has
/// hundreds, and counts as one launch here.
///
///     CPU   [== launch ==]
///     GPU                    [### first ###][###]…
///           |<- since_start ->|
///                        |<-->| delay
struct LaunchGroup {
  SliceId launch;
  SliceId first_activity;  ///< the one that started first
  std::uint32_t activities = 0;
  Nanos delay = 0;        ///< first activity's start - end of the call; at least 0 (as in HTA)
  Nanos since_start = 0;  ///< first activity's start - start of the call; at least 0
  Nanos gpu_time = 0;     ///< length of the union of its activities
  Nanos cpu_time = 0;     ///< duration of the call

  bool of_graph = false;  ///< the call launches graphs, by its name
  /// Whether it is a graph launch. On ROCm other calls may share a correlation with several activities, too.
  bool is_graph() const { return of_graph && activities > 1; }
  /// Whether the GPU needs less time than the launch call: such work cannot keep the GPU busy.
  bool is_short() const { return gpu_time < cpu_time; }
};

/// Returns all launches, ascending by the start of the call within a file. O(n log n) in the links.
std::vector<LaunchGroup> launch_groups(const Trace& trace);

/// Launches of one kind: grouped by the name of the first activity; graphs by that of the call.
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
/// Returns the rows with the most short launches first, then by most launches: where the CPU pays much for
/// little GPU work. O(n log n).
std::vector<LaunchDelayRow> summarise_launches(const Trace& trace, const std::vector<LaunchGroup>& groups);

/// The amount of work waiting in a stream's queue: +1 when a launch begins, -1 when its first activity
/// on this stream begins. A graph launch counts once per stream. Work without a
/// launch in the file does not count, nor work that seems to start before its launch.
struct QueueDepth {
  SourceId source;
  StringId device = kEmptyString;
  StringId stream = kEmptyString;
  TrackId track;               ///< the first track of the stream
  CounterSeries depth;         ///< whole numbers ≥ 0; one sample per change
  std::uint64_t launches = 0;  ///< number of counted launches
};

/// From this depth on, launch calls block until there is a free place (the figure used by HTA and CUDA).
inline constexpr double kFullQueue = 1024;

/// Returns one entry per stream with linked activity, by source, device and stream. O(n log n).
std::vector<QueueDepth> queue_depths(const Trace& trace);

}  // namespace lacuna
