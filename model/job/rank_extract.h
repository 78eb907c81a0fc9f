#pragma once

#include <vector>

#include "model/base/result.h"
#include "model/job/rank_facts.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Returns each rank's contribution to its job: one entry per source, or per rank of a file that holds
/// several. Collectives are the GPU's communication kernels (NCCL, RCCL, HCCL …); for a trace without any GPU activity,
/// those that its processes record on the CPU (record_param_comms, gloo:, mpi:).
///
/// O(slices + args of GPU activities); the args are read from the file. Read-only, any thread. Errors: those of
/// reading args.
Result<std::vector<JobRank>> extract_ranks(const Trace& trace, unsigned threads = 1);

/// The collectives of a rank, without the rest, each with its slice.
struct RankCollectives {
  JobRank facts;                ///< without kernels and idle times of GPUs
  std::vector<SliceId> slices;  ///< by index in JobRank::collectives
};
/// Like extract_ranks(), for collectives only. O(slices + args of collectives).
Result<std::vector<RankCollectives>> extract_collectives(const Trace& trace);

}  // namespace lacuna
