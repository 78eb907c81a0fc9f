#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/trace/import_report.h"
#include "model/trace/links.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Whether this tells which call an activity belongs to: 0 does not, and neither does -1, which ROCm writes where it
/// knows none.
inline bool is_correlation(std::uint64_t correlation) {
  return correlation != 0 && correlation != UINT64_MAX;
}

/// Links each GPU activity to the runtime or driver call of its source with the same
/// correlation (is_correlation()). Of several launches the first in the file is taken, and the case is counted.
/// Never guesses: an activity without such a call stays unlinked; link_by_flows() counts those.
/// O(slices) for correlations that ascend along a stream, as they mostly do.
LaunchLinks link_launches(const Trace& trace, ImportReport& report);

/// Adds to `launches` the activities without a correlation that are the target of a torch_npu arrow, from the call that
/// enqueued them on the device, and counts those that stay unlinked. `links` has the flows. Does nothing when all are
/// linked, else O(n log n) in the activities.
void link_by_flows(const Trace& trace, const Links& links, LaunchLinks& launches, ImportReport& report);
/// Returns the links that it would add, when the unlinked activities are known.
std::vector<LaunchLink> link_by_flows(const Trace& trace, const Links& links, std::span<const SliceId> unlinked,
                                      ImportReport& report);

/// Whether calls of this name always start GPU work: if the work is missing, the trace is incomplete.
bool starts_gpu_work(std::string_view name);

}  // namespace lacuna
