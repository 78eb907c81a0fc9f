#pragma once

#include "model/job/job.h"

namespace lacuna {

/// Fills groups, steps, collectives and parts of `job` from its ranks, without any times. A collective of one rank is
/// matched with another's by "Comms Id", else by group and "Seq", else by group, step and number in the step; name,
/// dtype and size must agree. Sends match receives by their endpoints. If a rank's record begins or ends inside a step,
/// its collectives of that step are aligned with those of the others by their names and sizes.
void match_collectives(Job& job);

}  // namespace lacuna
