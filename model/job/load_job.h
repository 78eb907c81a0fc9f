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
  std::vector<JobProblem> problems;  ///< files that could not be read; none is fatal
};

/// Progress of reading a job's files, and the request to stop it. Any thread.
struct LoadRanksProgress {
  std::atomic<std::size_t> files{0};  ///< 0: not counted yet
  std::atomic<std::size_t> done{0};
  std::atomic<bool> cancel{false};
  ImportProgress reading;  ///< of all files; cancelled by `cancel` alone
};

/// Reduces each rank of `paths` (files, folders, patterns: traces, or digests written by write_digest()) to what a job
/// needs. Each file is loaded, reduced and dropped again; `workers` are at it at the same time (0 = one per core), so
/// that memory holds so many traces and no more. A folder with traces stands for these, one without for its digests.
/// JobRank::file of a digest is the trace that it was made of: where that lies no longer, the one of that name beside
/// the digest, if there is one. Errors: kNotFound for a path that stands for nothing; kCancelled.
Result<LoadedRanks> load_ranks(std::span<const std::string> paths, const ImportOptions& options = {},
                               unsigned workers = 0, LoadRanksProgress* progress = nullptr);

/// Whether one of `paths` is a digest, or a folder that holds digests and no traces. Reads the first bytes of files.
bool name_digests(std::span<const std::string> paths);

/// Reduces one trace. Where the file does not say its rank, the file's name does.
Result<std::vector<JobRank>> reduce_trace(const std::string& path, const ImportOptions& options = {},
                                          ImportProgress* progress = nullptr);

/// The rank that a file's name says ("rank3.json.gz", "trace_rank-3.json", "worker3_step_12.pt.trace.json"); < 0: none.
std::int64_t rank_of_file_name(std::string_view path);

}  // namespace lacuna
