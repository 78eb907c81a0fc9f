#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/trace/import_report.h"
#include "model/trace/links.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Joins each GPU activity with the runtime or driver call of its source that carries the same
/// correlation (non-zero). Of several launches the first in the file is taken and the case counted.
/// Never guesses: an activity without such a call stays unlinked; link_by_flows() counts it.
/// O(slices) for correlations that ascend along a stream, as they mostly do.
LaunchLinks link_launches(const Trace& trace, ImportReport& report);

/// Adds to `launches` the activities without a correlation to which an arrow of torch_npu points, from the call that
/// handed them to the device, and counts those that stay unlinked. `links` has the flows. Nothing to do where all are
/// linked, else O(n log n) in the activities.
void link_by_flows(const Trace& trace, const Links& links, LaunchLinks& launches, ImportReport& report);
/// What it adds, where it is known which activities are not linked.
std::vector<LaunchLink> link_by_flows(const Trace& trace, const Links& links, std::span<const SliceId> unlinked,
                                      ImportReport& report);

/// Names of calls that always start GPU work: without it, the trace lost something.
bool starts_gpu_work(std::string_view name);

}  // namespace lacuna
