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

/// The ranks read from a job's files.
struct LoadedRanks {
  std::vector<JobRank> ranks;
  std::vector<JobProblem> problems;  ///< files that could not be read; none is fatal
};

/// Progress of reading a job's files, and the request to cancel it. Any thread.
struct LoadRanksProgress {
  std::atomic<std::size_t> files{0};  ///< 0: not counted yet
  std::atomic<std::size_t> done{0};
  std::atomic<bool> cancel{false};
  ImportProgress reading;  ///< of all files; cancelled through `cancel` only
};

/// Reduces each rank of `paths` (files, folders, patterns: traces, or digests of write_digest()) to what the job
/// analysis needs. Each file is loaded, reduced and dropped; `workers` files at a time (0 = one per core), so
/// that memory holds no more traces than that. A folder with traces stands for these, one without for its digests.
/// JobRank::file of a digest is the trace that it was made from: if that is gone, the one of that name beside
/// the digest, if there is one. Errors: kNotFound for a path that matches nothing; kCancelled.
Result<LoadedRanks> load_ranks(std::span<const std::string> paths, const ImportOptions& options = {},
                               unsigned workers = 0, LoadRanksProgress* progress = nullptr);

/// Whether one of `paths` is a digest, or a folder with digests and without traces. Reads the first bytes of files.
bool name_digests(std::span<const std::string> paths);

/// Reduces one trace. If the file does not state its rank, the rank is taken from its name.
Result<std::vector<JobRank>> reduce_trace(const std::string& path, const ImportOptions& options = {},
                                          ImportProgress* progress = nullptr);

/// Returns the rank in a file's name ("rank3.json.gz", "trace_rank-3.json", "worker3_step_12.pt.trace.json"); < 0: none
std::int64_t rank_of_file_name(std::string_view path);

}  // namespace lacuna
