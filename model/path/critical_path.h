#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// What a part of the critical path is.
enum class PathKind : std::uint8_t {
  kSlice,            ///< time inside a slice: of a CPU slice its own, without what is inside it
  kLaunchLatencyNs,  ///< from the issue of an activity to its start, while the GPU had nothing else of its stream
  kQueue,            ///< between an activity and the one that it held back: spacing of queued work, or a wait
  kNothing,          ///< nothing was recorded on the thread
};

struct PathPart {
  PathKind kind = PathKind::kSlice;
  TimeSpan span;
  SliceId slice;  ///< kSlice: itself; kLaunchLatencyNs, kQueue: the activity that waited; kNothing: invalid
  TrackId track;  ///< where it is; invalid where not even that is known
};

/// The critical path of a range: the chain of CPU work, launches, kernels, copies and waits that its end depended on.
///
/// Followed back from the end: a CPU thread did what it did before; a call that waited for the GPU goes on with the
/// activity whose end let it go; an activity goes on with what allowed its start last (its launch, the activity before
/// it on its stream, the one that it had to wait for by an event); a thread without an operator or a call goes on with
/// the thread that worked meanwhile and ended last (the autograd thread of a backward pass, or who woke it).
/// The parts cover the range without holes or overlap, so they add up to it to the nanosecond.
struct CriticalPath {
  TimeSpan range;
  SourceId source;
  std::vector<PathPart> parts;  ///< ascending

  Nanos wall() const { return range.duration(); }
};

/// A thread without work counts as waiting for another one if that takes at least this long …
inline constexpr Nanos kShortestHandoverNs = 20'000;
/// … and the other one works for at least this part of it (1/2).
inline constexpr Nanos kHandoverShare = 2;

struct PathOptions {
  TimeSpan range = TimeSpan::everything();  ///< clipped to what the source has
  std::optional<SourceId> source;           ///< without: the one that has the latest end in the range
  TrackId thread;                           ///< where the end is looked for (a step's thread); invalid: what ends last
};

/// O(slices of CPU threads in the range + parts log n). Reads only, any thread.
CriticalPath find_critical_path(const Trace& trace, const PathOptions& options);

/// How a part is called and of what category it is: those of its slice; else "(nothing recorded)", "idle";
/// "launch_latency" and "queue" are categories of parts named after what waited.
std::string_view path_name(const Trace& trace, const PathPart& part);
std::string_view path_category(const Trace& trace, const PathPart& part);
/// The track's name, as tables show it: "stream 7", "thread 123 (python)"; of several GPUs "GPU 1 stream 7".
std::string path_lane(const Trace& trace, const PathPart& part);

}  // namespace lacuna
