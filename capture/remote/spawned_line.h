#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/remote/line.h"
#include "model/base/result.h"

namespace lacuna {

/// A program of ours (ssh) whose standard input and output are a line. Its standard error is kept, the end of it: what
/// ssh says when it does not get through. Destroying it closes the line and ends the program. One thread.
class SpawnedLine {
 public:
  /// kNotFound: there is no such program.
  static Result<std::unique_ptr<SpawnedLine>> start(const std::vector<std::string>& words);
  ~SpawnedLine();
  SpawnedLine(const SpawnedLine&) = delete;
  SpawnedLine& operator=(const SpawnedLine&) = delete;

  RemoteLine& line() { return *line_; }
  /// What the program wrote to standard error, the last few lines of it.
  const std::string& errors();
  /// How it ended; waits a moment for it, once the line is gone. -1: it runs on.
  int exit_code();

 private:
  SpawnedLine() = default;
  int pid_ = -1;
  int exit_code_ = -1;
  int errors_in_ = -1;
  std::string errors_;
  std::unique_ptr<RemoteLine> line_;
};

}  // namespace lacuna
