#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/remote/line.h"
#include "model/base/result.h"

namespace lacuna {

/// A child program (ssh) whose standard input and output are a connection. Keeps the end of its standard error, which
/// explains ssh's failures. The destructor closes the connection and ends the program. One thread.
/// Ctrl+C on the terminal does not end the program; we pass it on.
class SpawnedLine {
 public:
  /// `may_ask`: it may use our terminal, as ssh does for a password; for programs that keep their signal mask.
  /// kNotFound: there is no such program.
  static Result<std::unique_ptr<SpawnedLine>> start(const std::vector<std::string>& words, bool may_ask);
  ~SpawnedLine();
  SpawnedLine(const SpawnedLine&) = delete;
  SpawnedLine& operator=(const SpawnedLine&) = delete;

  RemoteLine& line() { return *line_; }
  /// Returns the last lines of standard error. The program blocks once some 64 kB were not read.
  const std::string& errors();
  /// Returns its exit code; waits a moment for its end once the connection is closed. -1: still running.
  int exit_code();
  /// Whether it was stopped, which happens to a program that asks on a terminal in use by others.
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
