#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "model/base/result.h"

namespace lacuna {

/// The place to which a command writes its answer: standard output, or a string in tests.
///
/// Buffers, and remembers the first failure instead of reporting each: a command writes to the end
/// and finish() tells. A reader that went away (`| head`) is no error: ok() turns false so that the
/// command can stop early, and finish() succeeds. Needs SIGPIPE to be ignored (main does that).
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {}
  explicit Output(std::string& text) : text_(&text) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  /// False once nothing can be written any more.
  bool ok() const { return error_ == 0; }
  /// Flushes. kNotWritable when something could not be written (disk full, for instance).
  Result<void> finish();

 private:
  void flush();

  std::FILE* file_ = nullptr;
  std::string* text_ = nullptr;
  std::string buffer_;
  int error_ = 0;  // errno of the first failure
};

}  // namespace lacuna
