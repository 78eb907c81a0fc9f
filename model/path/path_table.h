#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/path/critical_path.h"

namespace lacuna {

/// The cause to which a part of the path is attributed.
enum class PathCause : std::uint8_t {
  kKernel,
  kCommunication,    ///< a collective on the GPU, or the CPU waiting for one
  kCopy,             ///< a copy or set on the GPU
  kOperator,         ///< self time of an operator on the CPU
  kPython,           ///< self time of a Python frame
  kLaunching,        ///< inside calls that start GPU work
  kSynchronisation,  ///< inside calls that wait for the GPU, without the awaited work
  kAllocation,       ///< inside calls that allocate or free
  kFirstUse,         ///< loading, compiling, tuning
  kDataLoading,      ///< waiting for the next batch
  kProfiler,         ///< the profiler's own work
  kOther,            ///< annotations and other named slices
  kLaunchLatencyNs,  ///< PathKind
  kQueue,            ///< PathKind
  kNothing,          ///< PathKind
};
inline constexpr std::size_t kPathCauseCount = static_cast<std::size_t>(PathCause::kNothing) + 1;
std::string_view path_cause_name(PathCause cause);
std::string_view path_cause_definition(PathCause cause);
PathCause path_cause(const Trace& trace, const PathPart& part);

/// All parts of one name, kind and lane.
struct PathRow {
  StringId name = kEmptyString;  ///< kEmptyString: nothing recorded
  PathKind kind = PathKind::kSlice;
  PathCause cause = PathCause::kOther;
  TrackId track;
  Nanos time = 0;                    ///< time on the path
  std::vector<std::uint32_t> parts;  ///< indices in CriticalPath::parts
  Nanos beside = 0;                  ///< time in the range, but off the path (self time of CPU slices)
  std::uint64_t beside_count = 0;    ///< number of stretches and activities in `beside`
  SliceId longest_beside;
  /// How much later the tightest of those could end without delaying the range's end; nothing: none is off the path,
  /// or not known.
  std::optional<Nanos> slack;
};

/// Sums the path by row. O(parts). Most time on the path first; add_slack() appends rows for what is off the path.
std::vector<PathRow> tabulate_path(const Trace& trace, const CriticalPath& path);
/// Adds what of the range is off the path: O(slices in the range + replay).
void add_slack(const Trace& trace, const CriticalPath& path, std::vector<PathRow>& rows);

/// Returns the name, or "(nothing recorded)".
std::string_view path_name(const Trace& trace, const PathRow& row);
/// Returns the lane's name, as the other path_lane() does.
std::string path_lane(const Trace& trace, const PathRow& row);

/// Returns the options for a range: a range that ends with a step ends on that step's thread.
PathOptions path_options(const Trace& trace, TimeSpan range, std::optional<SourceId> source = std::nullopt);

}  // namespace lacuna
