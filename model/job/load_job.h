#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/import/importer.h"
#include "model/job/job.h"

namespace lacuna {

/// What was read of a job's files.
struct LoadedRanks {
  std::vector<JobRank> ranks;
  std::vector<JobProblem> problems;  ///< files that could not be read: each told, none fatal
};

/// Reduces each rank of `paths` (files, folders, patterns: traces, or digests written by write_digest()) to what a job
/// needs. Each file is loaded, reduced and dropped again; `workers` are at it at the same time (0 = one per core), so
/// that memory holds so many traces and no more. A folder with traces stands for these, one without for its digests.
/// Errors: kNotFound for a path that stands for nothing; kCancelled.
Result<LoadedRanks> load_ranks(std::span<const std::string> paths, const ImportOptions& options = {},
                               unsigned workers = 0, const std::atomic<bool>* cancel = nullptr);

/// Of one trace, with the rank told from its file's name where the file does not say it.
Result<std::vector<JobRank>> reduce_trace(const std::string& path, const ImportOptions& options = {});

/// The rank that a file's name says ("rank3.json.gz", "trace_rank-3.json", "worker3_step_12.pt.trace.json"); < 0: none.
std::int64_t rank_of_file_name(std::string_view path);

}  // namespace lacuna
