#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// A file that is written from front to end, compressed where its name ends in ".gz" or ".zst".
///
/// A .zst is made of frames of at most kFrameBytes of text, for speed, and so that it can be read from
/// anywhere (FramedBytes) and up to its end after a crash.
///
/// The first failure (disk full, say) is kept: later writes do nothing, ok() and finish() tell. What
/// was written before stays, so a recording that ran out of space is a readable, truncated trace.
/// One thread at a time.
class OutputFile {
 public:
  /// Creates `path`; kInvalidArgument when there is something. Files of the user are made by ClaimedFile.
  static Result<OutputFile> create(const std::string& path);
  /// Writes into an open file. `path` is its name in errors, and says how to compress.
  static OutputFile adopt(Descriptor descriptor, const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  void write(std::string_view text);
  /// From here on a compressed file's text also goes to `descriptor` as it is: for somebody who reads along. A failure
  /// there ends the copy and nothing else. Before the first write().
  void keep_plain_copy(Descriptor descriptor);
  /// Makes what was written readable in the plain copy, or where there is none, in the file. False once the
  /// copy has failed.
  bool flush_plain();
  bool ok() const;
  /// Bytes given to write() so far, before compression; those of a failed write count.
  std::uint64_t size() const;
  /// Makes what was written readable by others: empties the buffers (a gzip block ends here).
  void flush();
  bool is_compressed() const;
  static constexpr std::size_t kFrameBytes = std::size_t{1} << 18;
  /// The begin of a frame of a .zst file.
  struct Frame {
    std::uint64_t text = 0;  ///< as if it was not compressed
    std::uint64_t file = 0;
  };
  /// All frames of a .zst file so far, ascending; other files have none.
  const std::vector<Frame>& frames() const;
  /// What has reached the file: its size, and how much text that is.
  Frame written() const;
  /// Flushes and closes. kNotWritable when something could not be written.
  Result<void> finish();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
