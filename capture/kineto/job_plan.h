#pragma once
// The plan of a trace request to jobs, and its progress.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/kineto/kineto_request.h"
#include "capture/kineto/running_job.h"
#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// Which of the running jobs are selected.
struct JobChoice {
  bool is_all = false;              ///< all except launchers
  std::vector<int> pids;            ///< as our /proc shows them
  std::vector<std::int64_t> ranks;  ///< for each rank the process that was not started by another one of the same rank
};

/// Parses "all", "1234,1240", "ranks 0-3,7" ("rank 2"): kInvalidArgument says what is wrong.
Result<JobChoice> parse_job_choice(const std::vector<std::string>& words);

/// Whether this request wakes the job instead of using Kineto's protocol: a program that supports both is woken, unless
/// only Kineto supports the request.
bool is_woken_for(const KinetoRequest& request, const RunningJob& job);

/// Returns the selected jobs of `among`. Describes in `missing` those that were selected but do not exist.
std::vector<RunningJob> chosen_jobs(const JobChoice& choice, const std::vector<RunningJob>& among,
                                    std::vector<std::string>& missing);

/// The request, its jobs, and its output.
struct RequestPlan {
  JobChoice choice;
  KinetoRequest request;
  std::string folder;  ///< for rank3.json, pid1234.json; created if missing
  /// Replace existing files. Otherwise they stay, and the new ones are numbered: rank3-2.json.
  bool replaces = false;
  /// How long a job may be busy, or not reach the step that begins its window, before it is given up.
  std::chrono::milliseconds patience{60'000};
};

/// The progress of one job.
struct JobProgress {
  enum class State : std::uint8_t {
    kWaking,     ///< a dormant job is awake and waits for the others
    kAwaited,    ///< it has not asked yet
    kBusy,       ///< it is being profiled already
    kAsked,      ///< it was sent the request
    kRecording,  ///< it warms up, records or writes; or is being recorded
    kDone,       ///< `file` is complete
    kFailed,     ///< `words` says why
  };
  RunningJob job;
  State state = State::kAwaited;
  std::string words;  ///< a sentence without a full stop; may be empty
  std::string file;   ///< path of its trace, finished or not
  std::uint64_t bytes = 0;
};

}  // namespace lacuna
