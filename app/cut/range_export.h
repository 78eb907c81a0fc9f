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

/// What went into the files of an export.
struct ExportedRange {
  std::vector<std::string> paths;  ///< one for each source with something in the range
  std::uint64_t events = 0;
  /// Slices that could not be copied from the file as they are there (a damaged or changed file): written
  /// from what is known of them, without args.
  std::uint64_t without_args = 0;
};

struct RangeExportOptions {
  TimeSpan range = TimeSpan::everything();
  std::vector<TrackId> tracks;  ///< empty = all
  std::string path;             ///< compressed where it ends in .gz; of several sources each gets its label
  Existing existing = Existing::kReplaceOurs;  ///< what may happen to what lies at the path
  /// What becomes of the JSON of an event (`key` is empty), and of another top-level value, which may become nothing:
  /// it is left out. None: all stay as they are.
  std::function<std::string(std::string_view key, std::string_view json)> edit = {};
  const std::atomic<bool>* cancel = nullptr;
};

/// Writes a new trace with what overlaps the range: slices (whole, as they are in the file), instants,
/// counters (from the sample before the range on), flows whose both ends are in it, names of processes and
/// threads, baseTimeNanoseconds and the other top-level values. Times are those of the file, so the new
/// trace can be compared with the old one.
///
/// Blocking, O(events in range); reads the sources' bytes forward once. Each file appears when it is whole.
/// kNotWritable, kInvalidArgument (it stays), kCancelled, kInvalidArgument for an empty range, or for a path that is
/// one of the sources: they are never overwritten.
Result<ExportedRange> export_range(const Trace& trace, const RangeExportOptions& options);

/// `wished` where new files may be proposed: it is the user's and can be written to. Else the folder the program was
/// started in, or the home folder, whichever is; else `wished` all the same. Ends with '/', unless it is empty.
std::string folder_to_write(const std::string& wished);

/// "trace-range.json.gz": a name that does not exist yet, beside a trace or, where that folder is not the user's, in
/// another one (folder_to_write).
std::string suggested_export_path(const std::string& trace_path, const std::string& suffix,
                                  const std::string& extension);

}  // namespace lacuna
