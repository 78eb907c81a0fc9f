#pragma once

#include "model/trace/import_report.h"
#include "model/trace/links.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Joins each GPU activity with the runtime or driver call of its source that carries the same
/// correlation (non-zero). Of several launches the first in the file is taken and the case counted.
/// Never guesses: an activity without such a call stays unlinked and is counted.
/// O(slices) for correlations that ascend along a stream, as they mostly do.
LaunchLinks link_launches(const Trace& trace, ImportReport& report);

}  // namespace lacuna
