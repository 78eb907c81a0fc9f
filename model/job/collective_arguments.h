#pragma once

#include <span>
#include <vector>

#include "model/base/result.h"
#include "model/job/fact_texts.h"
#include "model/job/rank_facts.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Reads the args of `slices` (collectives of one source, in any order) into `parts`, which has one entry for
/// each: keys of PyTorch's record_param_comms, which Kineto copies to the kernels. For kernels without them, reads
/// the record_param_comms around the launch. Groups are appended to `facts`.
Result<void> read_collective_arguments(const Trace& trace, SourceId source, std::span<const SliceId> slices,
                                       JobRank& facts, FactTexts& texts, std::span<CollectivePart> parts);

}  // namespace lacuna
