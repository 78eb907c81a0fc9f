#pragma once

#include "model/job/job.h"

namespace lacuna {

/// Fills Job::clocks and Job::origin: for collectives that end everywhere at once, the end on each rank's clock is the
/// true end plus that clock's offset and drift. Least squares over all of them, robust to outliers; groups
/// connect ranks that never meet. The reference is the lowest rank (of each connected set of ranks).
/// A value not larger than its uncertainty is set to 0: ranks of one host share a clock.
/// Then sets the corrected start and end of Job::parts.
void fit_clocks(Job& job);

}  // namespace lacuna
