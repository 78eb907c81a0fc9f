#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/input/import_options.h"

namespace lacuna {

/// A ByteSource that may still be arriving: read_at() waits for the bytes it was asked for.
class ImportBytes : public ByteSource {
 public:
  /// How the data ended, as far as known.
  struct Ending {
    bool is_truncated = false;        ///< the compressed data are truncated or damaged
    std::uint64_t truncated_at = 0;   ///< number of bytes that could be decompressed
    std::uint64_t garbage_bytes = 0;  ///< bytes behind the end of the compressed data
    std::optional<Error> error;       ///< limit exceeded, out of memory, or read error
  };

  /// The number of bytes, if known without waiting.
  virtual std::optional<std::uint64_t> known_size() const = 0;
  /// Waits for the end of the data.
  virtual Ending ending() const { return {}; }
  /// Makes waiting readers return; later reads return nothing. For cancelling.
  virtual void abandon() {}
};

struct OpenedFile {
  std::shared_ptr<ImportBytes> bytes;
  std::uint64_t file_bytes = 0;
  std::string containers = {};  ///< what lay around the bytes: "", ", gzip" …
  bool is_plain = false;        ///< a regular file, read in place
};

/// Opens `path`; detects plain, gzip and zstd files by their first bytes. Plain files are read
/// in place (pread: no page faults, no SIGBUS when the file shrinks); compressed files and
/// pipes are read once, by a thread that keeps the decompressed data. `progress` counts the bytes of
/// the file that this thread reads.
Result<OpenedFile> open_file(const std::string& path, std::uint64_t max_json_bytes, ImportProgress* progress);

/// Text in memory.
std::shared_ptr<ImportBytes> make_memory_bytes(std::string text);

/// Compressed data in memory, decompressed like a file; for tests and fuzzing.
Result<OpenedFile> open_memory(std::string data, std::uint64_t max_json_bytes);

}  // namespace lacuna
