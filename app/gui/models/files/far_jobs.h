#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "capture/remote/far_side.h"
#include "model/base/result.h"

namespace lacuna {

/// A program or recording on another machine that can be watched live, or of which a trace can be taken.
struct FarJob {
  int pid = 0;            ///< 0 for a recording
  std::string kind;       ///< "dormant", "Kineto", "Kineto, dormant", "recording"
  std::string rank;       ///< "3"; empty: none
  std::string state;      ///< "asleep", "ready", "watched" …
  std::string command;    ///< for a recording, the name of its socket
  std::string recording;  ///< path of the recording's socket on that machine
  bool may_attach = false;
  bool may_request = false;
};

/// Runs `lacuna jobs --json` there and returns the jobs without launchers; takes up to 6 s. Errors: those of the
/// connection, and an answer that cannot be parsed.
Result<std::vector<FarJob>> list_far_jobs(FarSide& far, const std::atomic<bool>* cancel);
/// Parses the JSON text of list_far_jobs().
Result<std::vector<FarJob>> parse_far_jobs(const std::string& json);

/// Runs a lacuna command there and returns its standard output. If it exits with a code other than 0 and prints
/// nothing, the error has its error output.
Result<std::string> run_there(FarSide& far, const std::vector<std::string>& words, const std::atomic<bool>* cancel);

}  // namespace lacuna
