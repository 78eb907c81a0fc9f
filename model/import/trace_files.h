#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/formats/format_use.h"
#include "model/input/import_options.h"

namespace lacuna {

class OpenedArchive;

/// One file to load.
struct TraceFile {
  std::string path;
  /// Whether it was found in a folder or by a pattern: then it is no error if it is not a trace.
  bool was_found = false;
  /// The archive that contains it, if any: while it is held, its files open without listing it again.
  std::shared_ptr<const OpenedArchive> archive = {};
  std::uint64_t stored_bytes = 0;  ///< its size in the archive
};

/// Default uses for which a folder is searched: traces, or snapshots and the like if it has none.
inline constexpr std::array<FormatUse, 2> kFolderOfTraces{FormatUse::kTrace, FormatUse::kMemory};

/// Options of find_trace_files().
struct TraceFileSearch {
  std::span<const FormatUse> uses = kFolderOfTraces;
  bool opens_archives = true;  ///< if false, an archive is treated as any other file
  std::uint64_t most_bytes = ImportOptions{}.max_json_bytes;
  ImportProgress* progress = nullptr;
};

/// Returns the files that `paths` stand for, in order. A folder stands for its files whose names fit the first of
/// the uses that any file's name fits (file_names.h); if there are none, for its archives; else for the
/// files that a format recognises by their first bytes; else for those of its only subfolder that has any
/// (TensorBoard's, say). An archive
/// (model/input/archive.h) stands for the same among all of its files. Archives in a folder count as folders. A path
/// that does not exist and contains *, ? or [ stands for the files that match it. All in natural order ("rank2"
/// before "rank10"). Errors: kNotFound if a folder, archive or pattern stands for nothing, or if there are too many
/// folders to choose from; kUnsupported for a URL; those of OpenedArchive::open(). Blocking.
Result<std::vector<TraceFile>> find_trace_files(std::span<const std::string> paths, const TraceFileSearch& search = {});

/// Whether a path is a URL: nothing is downloaded.
bool is_url(std::string_view path);

/// Whether find_trace_files() would find something at `path`.
bool may_be_traces(const std::string& path);

}  // namespace lacuna
