#pragma once

#include <vector>

#include "model/base/result.h"
#include "model/job/rank_facts.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What each rank in `trace` contributes to its job: one entry for each source, or for each rank of a file that holds
/// several. Collectives are the GPU's communication kernels (NCCL, RCCL, HCCL …); of a trace without any GPU activity,
/// what its processes say on the CPU (record_param_comms, gloo:, mpi:).
///
/// O(slices + args of GPU activities); the args are read from the file. Reads only, any thread. Errors are those of
/// reading args.
Result<std::vector<JobRank>> extract_ranks(const Trace& trace, unsigned threads = 1);

/// The collectives of a rank alone, each with its slice.
struct RankCollectives {
  JobRank facts;                ///< without kernels, and without what its GPUs idled for
  std::vector<SliceId> slices;  ///< by index in JobRank::collectives
};
/// Likewise. O(slices + args of collectives).
Result<std::vector<RankCollectives>> extract_collectives(const Trace& trace);

}  // namespace lacuna
