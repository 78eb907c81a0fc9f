#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "capture/remote/far_side.h"
#include "model/base/result.h"

namespace lacuna {

/// Something that runs on another machine and can be watched live, or of which a trace can be taken.
struct FarJob {
  int pid = 0;            ///< 0: a recording
  std::string kind;       ///< "dormant", "Kineto", "Kineto, dormant", "recording"
  std::string rank;       ///< "3"; empty: none
  std::string state;      ///< "asleep", "ready", "watched" …
  std::string command;    ///< of a recording the name of its socket
  std::string recording;  ///< its socket there
  bool may_attach = false;
  bool may_request = false;
};

/// What `lacuna jobs --json` says there, launchers left out; up to 6 s. Errors: those of the line, and of an answer
/// that makes no sense.
Result<std::vector<FarJob>> list_far_jobs(FarSide& far, const std::atomic<bool>* cancel);
/// The same of its text.
Result<std::vector<FarJob>> parse_far_jobs(const std::string& json);

/// Runs a command of lacuna's there and returns its standard output. An exit code other than 0 with no output is an
/// error that says what it said.
Result<std::string> run_there(FarSide& far, const std::vector<std::string>& words, const std::atomic<bool>* cancel);

}  // namespace lacuna
