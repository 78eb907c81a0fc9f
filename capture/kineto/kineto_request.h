#pragma once
// What is asked of a job, and the text in which Kineto wants to read it.

#include <cstdint>
#include <string>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// A window of a running job.
struct KinetoRequest {
  Nanos duration = 0;   ///< of the window; 0: by `iterations`
  int iterations = 0;   ///< optimizer steps
  int multiple_of = 0;  ///< begins at an iteration that is a multiple of this; 0 = with the next one
  bool shapes = false;
  bool stacks = false;
  bool memory = false;
  bool modules = false;
  /// The allocator's snapshot in place of a trace: its state at the end of `duration`, and its history within it.
  bool snapshot = false;
};

/// Kineto warms up before it records: at least a second, or one iteration.
inline constexpr Nanos kKinetoWarmupNs = 1'000'000'000;
/// How often its thread checks for the start: a start must be announced by this much earlier.
inline constexpr Nanos kKinetoTickNs = 1'000'000'000;

/// The request's text. `file`: where the job is to write; it puts _PID before ".json". `start_ms`: Unix time at which
/// the window begins, in milliseconds; 0 = as soon as it can (with `duration` only).
/// kInvalidArgument: the path has characters that Kineto's format cannot hold.
Result<std::string> kineto_text(const KinetoRequest& request, const std::string& file, std::int64_t start_ms);

/// What Kineto makes of `file` in process `pid` (as that process sees itself): "/tmp/a.json" is "/tmp/a_12.json".
std::string kineto_file_of(const std::string& file, int pid);

}  // namespace lacuna
