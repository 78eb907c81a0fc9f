#pragma once

#include "model/base/result.h"
#include "model/causes/late_ranks.h"
#include "model/job/job.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Finds the collectives in which each rank of the trace waited for a later rank, like analyse_job():
/// matched by their args, on clocks fitted to the ends of collectives. Waits not longer than the uncertainty of those
/// clocks are left out, as are those between ranks whose clocks cannot be compared. Null if the trace
/// holds fewer than two ranks with collectives. O(slices + args of collectives). Reads only, any thread; errors are
/// those of reading args.
Result<LateRanksPtr> find_late_ranks(const Trace& trace);

/// Like find_late_ranks(), for callers that cannot report an error: returns null then.
LateRanksPtr late_ranks_or_none(const Trace& trace);

}  // namespace lacuna
