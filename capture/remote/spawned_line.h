#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/remote/line.h"
#include "model/base/result.h"

namespace lacuna {

/// A program of ours (ssh) whose standard input and output are a line. Its standard error is kept, the end of it: what
/// ssh says when it does not get through. Destroying it closes the line and ends the program. One thread.
/// The terminal's Ctrl+C is ours to pass on, and does not end it.
class SpawnedLine {
 public:
  /// `may_ask`: on our terminal, as ssh does for a password; of a program that heeds a signal mask it was started with.
  /// kNotFound: there is no such program.
  static Result<std::unique_ptr<SpawnedLine>> start(const std::vector<std::string>& words, bool may_ask);
  ~SpawnedLine();
  SpawnedLine(const SpawnedLine&) = delete;
  SpawnedLine& operator=(const SpawnedLine&) = delete;

  RemoteLine& line() { return *line_; }
  /// What the program wrote to standard error, the last few lines of it. It waits once some 64 kB were not taken.
  const std::string& errors();
  /// How it ended; waits a moment for it, once the line is gone. -1: it runs on.
  int exit_code();
  /// Whether it was stopped, as a program is that asks on a terminal which others use.
  bool is_stopped() const;

 private:
  SpawnedLine() = default;
  void end_by(int signal) const;

  int pid_ = -1;
  bool is_group_ = false;
  int exit_code_ = -1;
  int errors_in_ = -1;
  std::string errors_;
  std::unique_ptr<RemoteLine> line_;
};

}  // namespace lacuna
