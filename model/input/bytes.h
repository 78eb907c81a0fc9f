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
  /// How the data ended, as far as that is known.
  struct Ending {
    bool is_truncated = false;        ///< compressed data end early or are damaged
    std::uint64_t truncated_at = 0;   ///< size of what could be decompressed
    std::uint64_t garbage_bytes = 0;  ///< behind the end of the compressed data
    std::optional<Error> error;       ///< a limit, no memory, a read error
  };

  /// Number of bytes if it is known without waiting.
  virtual std::optional<std::uint64_t> known_size() const = 0;
  /// Waits for the end of the data.
  virtual Ending ending() const { return {}; }
  /// Makes waiting readers return; later reads deliver nothing. For cancelling.
  virtual void abandon() {}
};

struct OpenedFile {
  std::shared_ptr<ImportBytes> bytes;
  std::uint64_t file_bytes = 0;
  std::string containers = {};  ///< what lay around the bytes: "", ", gzip" …
  bool is_plain = false;        ///< a regular file, read where it lies
};

/// Opens `path` and tells plain, gzip and zstd apart by their first bytes. Plain files are read
/// where they lie (pread: no page faults, no SIGBUS when the file shrinks); compressed ones, and
/// pipes, are read once by a thread that keeps what it decompressed. Progress is counted in bytes of
/// the file for what that thread reads.
Result<OpenedFile> open_file(const std::string& path, std::uint64_t max_json_bytes, ImportProgress* progress);

/// Text in memory.
std::shared_ptr<ImportBytes> make_memory_bytes(std::string text);

/// Compressed data in memory, decompressed like a file; for tests and fuzzing.
Result<OpenedFile> open_memory(std::string data, std::uint64_t max_json_bytes);

}  // namespace lacuna
