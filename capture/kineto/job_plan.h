#pragma once
// Which jobs are asked for what, and how far it is.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/kineto/kineto_request.h"
#include "capture/kineto/running_job.h"
#include "model/base/result.h"
#include "model/export/claimed_file.h"

namespace lacuna {

/// Which of the running jobs are meant.
struct JobChoice {
  bool is_all = false;              ///< all but launchers
  std::vector<int> pids;            ///< as our /proc shows them
  std::vector<std::int64_t> ranks;  ///< of each the process that no other of the same rank started
};

/// "all", "1234,1240", "ranks 0-3,7" ("rank 2"): kInvalidArgument with what is wrong.
Result<JobChoice> parse_job_choice(const std::vector<std::string>& words);

/// Whether it is woken for this request, and not asked by Kineto's protocol: a program that knows both is woken, unless
/// only Kineto has what is wanted.
bool is_woken_for(const KinetoRequest& request, const RunningJob& job);

/// The jobs of `among` that are meant. Those that are meant and not there are told in `missing`, in words.
std::vector<RunningJob> chosen_jobs(const JobChoice& choice, const std::vector<RunningJob>& among,
                                    std::vector<std::string>& missing);

/// What is wanted of which jobs, and where it goes.
struct RequestPlan {
  JobChoice choice;
  KinetoRequest request;
  std::string folder;  ///< for rank3.json, pid1234.json; made when it is not there
  /// What lies there is replaced. Else it stays, and the new files have a number: rank3-2.json.
  bool replaces = false;
  /// How long a job may be busy, or not take the step that begins its window, until it is given up.
  std::chrono::milliseconds patience{60'000};
};

/// How far it is with one job.
struct JobProgress {
  enum class State : std::uint8_t {
    kWaking,     ///< a dormant one: it is woken, and waits for the others
    kAwaited,    ///< it has not asked yet
    kBusy,       ///< it is being profiled already
    kAsked,      ///< it has the request
    kRecording,  ///< it warms up, records or writes; or is recorded
    kDone,       ///< `file` is there
    kFailed,     ///< `words` say why
  };
  RunningJob job;
  State state = State::kAwaited;
  std::string words;  ///< a sentence without a full stop; may be empty
  std::string file;   ///< where its trace goes, or lies
  std::uint64_t bytes = 0;
};

}  // namespace lacuna
