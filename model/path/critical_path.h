#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// The kind of a part of the critical path.
enum class PathKind : std::uint8_t {
  kSlice,            ///< time inside a slice: for a CPU slice its self time
  kLaunchLatencyNs,  ///< from the issue of an activity to its start, while its stream was otherwise idle
  kQueue,            ///< between an activity and the one that it delayed: spacing of queued work, or a wait
  kNothing,          ///< nothing was recorded on the thread
};

struct PathPart {
  PathKind kind = PathKind::kSlice;
  TimeSpan span;
  SliceId slice;  ///< kSlice: itself; kLaunchLatencyNs, kQueue: the activity that waited; kNothing: invalid
  TrackId track;  ///< its track; invalid if not known
};

/// The critical path of a range: the chain of CPU work, launches, kernels, copies and waits that its end depended on.
///
/// Followed back from the end: a CPU thread continues with its previous work; a call that waited for the GPU, with the
/// activity whose end released it; an activity, with the last of its start's dependencies (its launch, the previous
/// activity on its stream, the one that it waited for by an event); a thread without an operator or a call, with
/// the thread that worked meanwhile and ended last (the autograd thread of a backward pass, or the one that woke it).
/// The parts cover the range without holes or overlap, so their durations add up to it to the nanosecond.
struct CriticalPath {
  TimeSpan range;
  SourceId source;
  std::vector<PathPart> parts;  ///< ascending

  Nanos wall() const { return range.duration(); }
};

/// A thread without work counts as waiting for another thread if that takes at least this long.
inline constexpr Nanos kShortestHandoverNs = 20'000;
/// The other thread must also work for at least one in this many parts of that time (1/2).
inline constexpr Nanos kHandoverShare = 2;

struct PathOptions {
  TimeSpan range = TimeSpan::everything();  ///< clipped to the source's range
  std::optional<SourceId> source;           ///< if not set: the one that has the latest end in the range
  TrackId thread;                           ///< the thread whose end is followed (a step's); invalid: what ends last
};

/// O(slices of CPU threads in the range + parts log n). Read-only, any thread.
CriticalPath find_critical_path(const Trace& trace, const PathOptions& options);

/// Name and category of a part: those of its slice; else "(nothing recorded)", "idle";
/// "launch_latency" and "queue" are categories of parts named after the activity that waited.
std::string_view path_name(const Trace& trace, const PathPart& part);
std::string_view path_category(const Trace& trace, const PathPart& part);
/// Returns the track's name for tables: "stream 7", "thread 123 (python)"; with several GPUs "GPU 1 stream 7".
std::string path_lane(const Trace& trace, const PathPart& part);

}  // namespace lacuna
