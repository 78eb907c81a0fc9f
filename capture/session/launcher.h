#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

struct LaunchOptions {
  std::vector<std::string> arguments;                    ///< program first; looked up in PATH when it has no slash
  std::string directory;                                 ///< working directory; empty = ours
  std::vector<std::string> inherited;                    ///< "NAME=value" each; what the target inherits
  std::vector<std::pair<std::string, std::string>> set;  ///< variables set on top of it
  int input = -1;                                        ///< becomes the target's stdin; -1 = ours
  int output = -1;                                       ///< becomes the target's stdout (TargetOutput); -1 = ours
  int errors = -1;                                       ///< becomes the target's stderr
  bool own_group = false;                                ///< starts a process group, so that signals reach all of it
};

/// A target program that we started.
///
/// The target starts with default signal handling. One thread at a time. Destroying the launcher
/// leaves the program running.
class Launcher {
 public:
  static Result<Launcher> start(const LaunchOptions& options);
  Launcher(Launcher&& other) noexcept;
  Launcher& operator=(Launcher&&) = delete;

  int pid() const { return pid_; }

  /// How the program ended.
  struct Exit {
    bool by_signal = false;
    int code = 0;  ///< exit code, or the signal number
    /// "exited with code 3", "was killed by signal 9 (Killed)".
    std::string in_words() const;
    /// The exit code that a shell would return: the code, or 128 + the signal.
    int shell_code() const { return by_signal ? 128 + code : code; }
  };
  /// Returns how the process ended; nothing while it runs.
  std::optional<Exit> poll_exit();

  /// Sends the next stronger signal: SIGINT first, then SIGTERM, then SIGKILL. Returns its name,
  /// empty when the program has ended.
  const char* stop_harder();
  void send(int signal) const;

 private:
  Launcher() = default;
  int pid_ = -1;
  bool own_group_ = false;
  int stops_ = 0;
  std::optional<Exit> exit_;
};

/// Returns the environment of a target: what it inherits, with the variables set on top.
std::vector<std::string> merged_environment(const LaunchOptions& options);

/// Returns our own environment as "NAME=value".
std::vector<std::string> own_environment();

}  // namespace lacuna
