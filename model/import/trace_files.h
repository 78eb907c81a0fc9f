#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/formats/format_use.h"

namespace lacuna {

/// One file to load.
struct TraceFile {
  std::string path;
  /// It was found in a folder or by a pattern: if it is no trace, that is no error.
  bool was_found = false;
};

/// What a folder stands for where nothing else is asked: its traces, or the snapshots and the like if it has none.
inline constexpr std::array<FormatUse, 2> kFolderOfTraces{FormatUse::kTrace, FormatUse::kMemory};

/// The files that `paths` stand for, in order. A folder stands for the files in it (not those below it) that have a
/// name for the first of the uses `of_folders` that any file has a name for (file_names.h); a path that does not exist
/// and has *, ? or [ in it for the files that match it. Both in natural order ("rank2" before
/// "rank10"). kNotFound when a folder or pattern stands for nothing.
Result<std::vector<TraceFile>> find_trace_files(std::span<const std::string> paths,
                                                std::span<const FormatUse> of_folders = kFolderOfTraces);

/// Whether something is there that find_trace_files() would take `path` for.
bool may_be_traces(const std::string& path);

}  // namespace lacuna
