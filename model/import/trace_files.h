#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// One file to load.
struct TraceFile {
  std::string path;
  /// It was found in a folder or by a pattern: if it is no trace, that is no error.
  bool was_found = false;
};

/// The files that `paths` stand for, in order. A folder stands for the files in it that may be
/// traces by their name (.json, .json.gz, .json.zst, .sqlite; not those below it); a path that does not exist
/// and has *, ? or [ in it for the files that match it. Both in natural order ("rank2" before
/// "rank10"). kNotFound when a folder or pattern stands for nothing.
Result<std::vector<TraceFile>> find_trace_files(std::span<const std::string> paths);

/// Whether something is there that find_trace_files() would take `path` for.
bool may_be_traces(const std::string& path);

}  // namespace lacuna
