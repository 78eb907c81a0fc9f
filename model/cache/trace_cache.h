#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/base/result.h"
#include "model/cache/file_proof.h"
#include "model/cache/trace_codec.h"
#include "model/import/importer.h"

namespace lacuna {

/// A cache of imported traces: a folder of stored files, private to the user, of which the
/// least recently used are removed when the folder exceeds its limit. Nothing is written next to the traces themselves.
///
/// A stored trace is used only if this very program wrote it, with the same options, for the same file names, and
/// if each of these files is unchanged (FileProof). A stored file that is damaged, or of another user or build,
/// is ignored, and replaced after the trace has been imported. Any thread; several processes may share the folder.
class TraceCache {
 public:
  struct Limits {
    std::uint64_t most_bytes = std::uint64_t{10} << 30;       ///< limit for all stored files
    std::uint64_t least_json_bytes = std::uint64_t{8} << 20;  ///< smaller traces are imported as fast
  };

  /// $XDG_CACHE_HOME/lacuna/traces, or below ~/.cache; empty when neither is known.
  static std::string default_folder();

  TraceCache() : TraceCache(default_folder(), {}) {}
  /// An empty folder name disables the cache.
  TraceCache(std::string folder, const Limits& limits) : folder_(std::move(folder)), limits_(limits) {}

  /// The state of the files before they are read; pass it to keep(), which stores nothing if they changed meanwhile.
  struct Files {
    std::vector<std::string> paths;  ///< of each file that the given paths stand for
    std::vector<FileProof> proofs;   ///< of each file; fewer when one is no regular file
    std::string key;                 ///< program, options and paths: must equal the beginning of the stored file
    std::string name;                ///< name of the stored file
  };
  static Files look_at(std::span<const std::string> paths, const ImportOptions& options);

  /// Returns the trace of these files if it is stored. Blocking; needs as much memory as importing, less its temporary
  /// tables. Throws std::bad_alloc.
  std::optional<KeptTrace> find(const Files& files, const ImportOptions& options) const;

  /// Stores the trace read from `files`, if worthwhile; false when not. kNotWritable: no space or permission.
  /// Checks `cancel` regularly, and leaves nothing behind once it is set.
  Result<bool> keep(const Files& files, const Trace& trace, const std::vector<FoldIndex>& folds,
                    const Statistics& statistics, TimeSpan home, const std::atomic<bool>* cancel = nullptr) const;

  struct Usage {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };
  Usage usage() const;
  const std::string& folder() const { return folder_; }
  const Limits& limits() const { return limits_; }

 private:
  void make_room() const;

  std::string folder_;
  Limits limits_;
};

}  // namespace lacuna
