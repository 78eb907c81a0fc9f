#pragma once

#include "model/base/result.h"
#include "model/causes/late_ranks.h"
#include "model/job/job.h"
#include "model/trace/trace.h"

namespace lacuna {

/// In which of its collectives each rank of the trace waited for a rank that came later, as analyse_job() finds it:
/// matched by what their args say, on clocks fitted to the ends of collectives. A wait that is not longer than those
/// clocks are uncertain is left out, as is one between ranks whose clocks cannot be compared. Null where the trace
/// holds fewer than two ranks with collectives. O(slices + args of collectives). Reads only, any thread; errors are
/// those of reading args.
Result<LateRanksPtr> find_late_ranks(const Trace& trace);

/// The same for callers that have no place for an error: null then.
LateRanksPtr late_ranks_or_none(const Trace& trace);

}  // namespace lacuna
