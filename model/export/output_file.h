#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// A file written from front to end, and compressed if its name ends in ".gz" or ".zst".
///
/// A .zst consists of frames of at most kFrameBytes of text, for speed, for random access
/// (FramedBytes), and to be readable up to its end after a crash.
///
/// The first failure (such as a full disk) is stored: later writes do nothing, ok() and finish() report it. All
/// that was written before stays, so a recording that ran out of space is a readable, truncated trace.
/// One thread at a time.
class OutputFile {
 public:
  /// Creates `path`; kInvalidArgument if it exists. For users' files use ClaimedFile.
  static Result<OutputFile> create(const std::string& path);
  /// Writes into an open file. `path` is its name in errors, and determines the compression.
  static OutputFile adopt(Descriptor descriptor, const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  void write(std::string_view text);
  /// From now on also writes a compressed file's text uncompressed to `descriptor`, for a concurrent reader. A failure
  /// there only ends the copy. Call it before the first write().
  void keep_plain_copy(Descriptor descriptor);
  /// Makes all written text readable in the plain copy or, without one, in the file. Returns false once the
  /// copy has failed.
  bool flush_plain();
  bool ok() const;
  /// Bytes passed to write() so far, before compression, including those of failed writes.
  std::uint64_t size() const;
  /// Makes all written text readable by others: empties the buffers (which ends a gzip block).
  void flush();
  bool is_compressed() const;
  static constexpr std::size_t kFrameBytes = std::size_t{1} << 18;
  /// The begin of a frame of a .zst file, as offsets.
  struct Frame {
    std::uint64_t text = 0;  ///< in the uncompressed text
    std::uint64_t file = 0;
  };
  /// All frames of a .zst file so far, ascending; none for other files.
  const std::vector<Frame>& frames() const;
  /// The bytes that have reached the file, and the text bytes that they hold.
  Frame written() const;
  /// Flushes and closes. kNotWritable if something could not be written.
  Result<void> finish();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
