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

/// Traces that were opened before, ready to be looked at: a folder of stored files, private to the user, of which the
/// oldest go when they take more than their room. Nothing is written beside the traces themselves.
///
/// A kept trace is used only if this very program wrote it, with the same options, for the same names of files, and
/// each of these is still what it was (FileProof). A kept file that is damaged, somebody else's or of another build
/// is passed over, and replaced when the trace has been read anew. Any thread; several processes may share the folder.
class TraceCache {
 public:
  struct Limits {
    std::uint64_t most_bytes = std::uint64_t{10} << 30;       ///< of all kept files
    std::uint64_t least_json_bytes = std::uint64_t{8} << 20;  ///< smaller traces are read as fast
  };

  /// $XDG_CACHE_HOME/lacuna/traces, or below ~/.cache; empty when neither is known.
  static std::string default_folder();

  TraceCache() : TraceCache(default_folder(), {}) {}
  /// An empty folder keeps nothing.
  TraceCache(std::string folder, const Limits& limits) : folder_(std::move(folder)), limits_(limits) {}

  /// What files are before they are read; hand it to keep(), which keeps nothing if they changed meanwhile.
  struct Files {
    std::vector<std::string> paths;  ///< of each file that the paths stand for
    std::vector<FileProof> proofs;   ///< of each; fewer when one is no regular file
    std::string key;                 ///< program, options and paths: what the kept file must begin with
    std::string name;                ///< of the kept file
  };
  static Files look_at(std::span<const std::string> paths, const ImportOptions& options);

  /// The trace of these files if it is kept. Blocking; takes memory as importing does, less what that needs on the
  /// way. Throws std::bad_alloc.
  std::optional<KeptTrace> find(const Files& files, const ImportOptions& options) const;

  /// Keeps what was read from `files`, if it is worth it; false when it is not. kNotWritable: no room, no right.
  /// Reads `cancel` now and then, and leaves nothing behind once it is set.
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
