#pragma once

#include <string>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// The files into which a recording was split.
struct RankFilesMade {
  std::vector<std::string> ranks;  ///< a trace for each rank, ascending; empty: no process has a rank
  std::string rest;                ///< the trace of processes without a rank, such as torchrun's own; empty: none
};

/// Replaces the recording at `path` ("job.json.gz") by one trace for each rank: "job-rank0.json.gz" and so on, and
/// "job-no-rank.json.gz". Without ranks it stays as it is, and also when something goes wrong. Files that are there
/// and were not written by Lacuna are left alone: that is an error, unless `force`.
Result<RankFilesMade> split_recording(const std::string& path, bool force);

}  // namespace lacuna
