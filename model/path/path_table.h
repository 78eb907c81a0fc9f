#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/path/critical_path.h"

namespace lacuna {

/// What a part of the path spent its time on.
enum class PathCause : std::uint8_t {
  kKernel,
  kCommunication,    ///< a collective on the GPU, or the CPU waiting for one
  kCopy,             ///< a copy or set on the GPU
  kOperator,         ///< an operator's own time on the CPU
  kPython,           ///< a Python frame's own time
  kLaunching,        ///< in calls that start GPU work
  kSynchronisation,  ///< in calls that wait for the GPU, without what they waited for
  kAllocation,       ///< in calls that allocate or free
  kFirstUse,         ///< loading, compiling, tuning
  kDataLoading,      ///< waiting for the next batch
  kProfiler,         ///< the profiler's own work
  kOther,            ///< annotations and whatever else has a name
  kLaunchLatencyNs,  ///< PathKind
  kQueue,            ///< PathKind
  kNothing,          ///< PathKind
};
std::string_view path_cause_name(PathCause cause);
std::string_view path_cause_definition(PathCause cause);
PathCause path_cause(const Trace& trace, const PathPart& part);

/// All parts of one name, kind and lane.
struct PathRow {
  StringId name = kEmptyString;  ///< kEmptyString: nothing recorded
  PathKind kind = PathKind::kSlice;
  PathCause cause = PathCause::kOther;
  TrackId track;
  Nanos time = 0;                    ///< on the path
  std::vector<std::uint32_t> parts;  ///< indices in CriticalPath::parts
  Nanos beside = 0;                  ///< of the range, but not on the path (own time of CPU slices)
  std::uint64_t beside_count = 0;    ///< stretches and activities of that
  SliceId longest_beside;
  /// By how much the tightest of those could end later before the range ended later; nothing: none is beside,
  /// or nothing tells.
  std::optional<Nanos> slack;
};

/// O(parts). The most time on the path first; rows of what is beside it follow once add_slack() was called.
std::vector<PathRow> tabulate_path(const Trace& trace, const CriticalPath& path);
/// What of the range is not on the path: O(slices in the range + replay).
void add_slack(const Trace& trace, const CriticalPath& path, std::vector<PathRow>& rows);

/// "(nothing recorded)", or the name.
std::string_view path_name(const Trace& trace, const PathRow& row);
/// The lane as path_lane() names it.
std::string path_lane(const Trace& trace, const PathRow& row);

/// The options for a range: a range that ends with a step ends on that step's thread.
PathOptions path_options(const Trace& trace, TimeSpan range, std::optional<SourceId> source = std::nullopt);

}  // namespace lacuna
