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
  /// It was found in a folder or by a pattern: if it is no trace, that is no error.
  bool was_found = false;
  /// The archive that it lies in, if any: as long as it is held, its files open without it being listed again.
  std::shared_ptr<const OpenedArchive> archive = {};
  std::uint64_t stored_bytes = 0;  ///< what it takes there
};

/// What a folder stands for where nothing else is asked: its traces, or the snapshots and the like if it has none.
inline constexpr std::array<FormatUse, 2> kFolderOfTraces{FormatUse::kTrace, FormatUse::kMemory};

/// How files are looked for.
struct TraceFileSearch {
  std::span<const FormatUse> uses = kFolderOfTraces;
  bool opens_archives = true;  ///< else an archive is a file as any other
  std::uint64_t most_bytes = ImportOptions{}.max_json_bytes;
  ImportProgress* progress = nullptr;
};

/// The files that `paths` stand for, in order. A folder stands for the files in it that have a name for the first of
/// the uses that any file has a name for (file_names.h); where there are none, for the archives in it; else for the
/// files that a format knows by their first bytes; else for those of the one folder below it that has some
/// (TensorBoard's, say). An archive
/// (model/input/archive.h) stands for what a folder would, of all its files; archives in it count as folders. A path
/// that does not exist and has *, ? or [ in it stands for the files that match it. All in natural order ("rank2"
/// before "rank10"). Errors: kNotFound when a folder, archive or pattern stands for nothing, or for too many folders
/// to choose from; kUnsupported for a URL; those of OpenedArchive::open(). Blocking.
Result<std::vector<TraceFile>> find_trace_files(std::span<const std::string> paths, const TraceFileSearch& search = {});

/// Whether a path is an address on the network: nothing is fetched from there.
bool is_url(std::string_view path);

/// Whether something is there that find_trace_files() would take `path` for.
bool may_be_traces(const std::string& path);

}  // namespace lacuna
