#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

struct LaunchOptions {
  std::vector<std::string> arguments;                    ///< the program first; looked up in PATH when it has no slash
  std::string directory;                                 ///< working directory; empty = ours
  std::vector<std::string> inherited;                    ///< "NAME=value" each; what the target inherits
  std::vector<std::pair<std::string, std::string>> set;  ///< set on top of it
  int input = -1;                                        ///< becomes its stdin; -1 = ours
  int output = -1;                                       ///< becomes its stdout (TargetOutput); -1 = ours
  int errors = -1;                                       ///< becomes its stderr
  bool own_group = false;                                ///< a process group of its own: signals then reach all of it
};

/// A target program that we started.
///
/// Signals are default in the target, whatever they are here. One thread at a time. Destroying it
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
    int code = 0;  ///< exit code, or the signal
    /// "exited with code 3", "was killed by signal 9 (Killed)".
    std::string in_words() const;
    /// What a shell would return: the code, or 128 + the signal.
    int shell_code() const { return by_signal ? 128 + code : code; }
  };
  /// How the process ended; nothing while it runs.
  std::optional<Exit> poll_exit();

  /// The next way to end the program: SIGINT first, then SIGTERM, then SIGKILL. Returns the signal's name,
  /// empty when it has ended.
  const char* stop_harder();
  void send(int signal) const;

 private:
  Launcher() = default;
  int pid_ = -1;
  bool own_group_ = false;
  int stops_ = 0;
  std::optional<Exit> exit_;
};

/// What the target of these options gets: what it inherits, with what is set.
std::vector<std::string> merged_environment(const LaunchOptions& options);

/// Our own environment as "NAME=value".
std::vector<std::string> own_environment();

}  // namespace lacuna
