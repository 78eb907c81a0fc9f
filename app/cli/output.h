#pragma once

#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/result.h"

namespace lacuna {

/// The place to which a command writes its answer: standard output, or a string in tests.
///
/// Buffers, and remembers the first failure instead of reporting each: a command writes to the end,
/// and finish() returns the failure. A reader that went away (`| head`) is no error: ok() turns false so that the
/// command can stop early, and finish() succeeds. Needs SIGPIPE to be ignored (main does that).
class Output {
 public:
  /// `name`: what an error calls the file.
  explicit Output(std::FILE* file, std::string name = "standard output") : file_(file), name_(std::move(name)) {}
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
  std::string name_;
  std::string buffer_;
  int error_ = 0;  // errno of the first failure
};

/// kInvalidArgument when `output` is one of the files that `paths` stand for: an answer never replaces its trace.
Result<void> check_is_no_input(const std::string& output, std::span<const std::string> paths);

/// Writes an answer to the file `path`, over what is there, unless that is one of `inputs` (kInvalidArgument).
/// kNotWritable when it cannot be made or not all of it could be written; what was there is still there then.
Result<void> write_answer(const std::string& path, std::span<const std::string> inputs,
                          const std::function<void(Output&)>& write);

}  // namespace lacuna
