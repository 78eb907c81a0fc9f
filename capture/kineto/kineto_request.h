#pragma once
// A request to a job, and its text in Kineto's format.

#include <cstdint>
#include <string>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// A recording window of a running job.
struct KinetoRequest {
  Nanos duration = 0;   ///< length of the window; 0: by `iterations`
  int iterations = 0;   ///< optimizer steps
  int multiple_of = 0;  ///< begins at an iteration that is a multiple of this; 0 = with the next one
  bool shapes = false;
  bool stacks = false;
  bool memory = false;
  bool modules = false;
  /// Take the allocator's snapshot instead of a trace: its state at the end of `duration`, and its history within it.
  bool snapshot = false;
};

/// The time that Kineto warms up before it records: at least a second, or one iteration.
inline constexpr Nanos kKinetoWarmupNs = 1'000'000'000;
/// How often Kineto's thread checks for the start: a start must be announced this much earlier.
inline constexpr Nanos kKinetoTickNs = 1'000'000'000;

/// Returns the request's text. `file`: the output of the job, which inserts _PID before ".json". `start_ms`: Unix time
/// at which the window begins, in milliseconds; 0 = as soon as possible (with `duration` only).
/// kInvalidArgument: the path has characters that Kineto's format cannot hold.
Result<std::string> kineto_text(const KinetoRequest& request, const std::string& file, std::int64_t start_ms);

/// Returns Kineto's name for `file` in process `pid` (in its own namespace): "/tmp/a.json" becomes "/tmp/a_12.json".
std::string kineto_file_of(const std::string& file, int pid);

}  // namespace lacuna
