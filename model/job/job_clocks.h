#pragma once

#include "model/job/job.h"

namespace lacuna {

/// Fills Job::clocks and Job::origin: for collectives that end everywhere at once, the end by each rank's clock is the
/// true one plus that clock's offset and drift. Least squares over all of them, with little weight on outliers; the
/// groups chain ranks that never meet. The reference is the lowest rank (of each set of ranks that are chained at all).
/// What is not larger than its uncertainty is 0: ranks of one host share a clock.
/// Then sets start and end of Job::parts, corrected.
void fit_clocks(Job& job);

}  // namespace lacuna
