#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"
#include "model/export/claimed_file.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The result of an export.
struct ExportedRange {
  std::vector<std::string> paths;  ///< one for each source with something in the range
  std::uint64_t events = 0;
  /// Number of slices that could not be copied from the source file (it is damaged or has changed): they are written
  /// from the trace in memory, without args.
  std::uint64_t without_args = 0;
};

struct RangeExportOptions {
  TimeSpan range = TimeSpan::everything();
  std::vector<TrackId> tracks;  ///< empty = all
  std::string path;  ///< compressed if it ends in .gz; with several sources each file name gets the label of its source
  Existing existing = Existing::kReplaceOurs;  ///< what happens to an existing file at the path
  /// Rewrites the JSON of an event (`key` is empty) or of another top-level value; an empty result leaves the latter
  /// out. Empty function: everything stays as it is.
  std::function<std::string(std::string_view key, std::string_view json)> edit = {};
  const std::atomic<bool>* cancel = nullptr;
};

/// Writes a new trace with everything that overlaps the range: slices (whole, as they are in the file), instants,
/// counters (from the sample before the range on), flows whose both ends are in it, names of processes and
/// threads, baseTimeNanoseconds and the other top-level values. Times are those of the file, so the new
/// trace can be compared with the old one.
///
/// Blocking, O(events in range); reads the sources' bytes forward once. Each file appears when it is whole.
/// kNotWritable, kInvalidArgument (it stays), kCancelled, kInvalidArgument for an empty range, or for a path that is
/// one of the sources: they are never overwritten.
Result<ExportedRange> export_range(const Trace& trace, const RangeExportOptions& options);

/// The folder to propose for new files: `wished` if it belongs to the user and is writable; else the folder the program
/// was started in or the home folder, by the same test; else `wished` all the same. Ends with '/', unless it is empty.
std::string folder_to_write(const std::string& wished);

/// "trace-range.json.gz": a name that does not exist yet, beside a trace or, if that folder is not the user's, in
/// another one (folder_to_write).
std::string suggested_export_path(const std::string& trace_path, const std::string& suffix,
                                  const std::string& extension);

}  // namespace lacuna
