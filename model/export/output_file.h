#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/result.h"

namespace lacuna {

/// A file that is written from front to end, compressed with gzip where its name ends in ".gz".
///
/// The first failure (disk full, say) is kept: later writes do nothing, ok() and finish() tell. What
/// was written before stays, so a recording that ran out of space is a readable, truncated trace.
/// One thread at a time.
class OutputFile {
 public:
  /// Creates or empties `path`.
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  void write(std::string_view text);
  /// From here on a compressed file's text also goes to `descriptor`, which becomes ours, as it is: for
  /// somebody who reads along. A failure there ends the copy and nothing else. Before the first write().
  void keep_plain_copy(int descriptor);
  /// Makes what was written readable in the plain copy, or where there is none, in the file. False once the
  /// copy has failed.
  bool flush_plain();
  bool ok() const;
  /// Bytes given to write() so far, before compression; those of a failed write count.
  std::uint64_t size() const;
  /// Makes what was written readable by others: empties the buffers (a gzip block ends here).
  void flush();
  /// Flushes and closes. kNotWritable when something could not be written.
  Result<void> finish();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
