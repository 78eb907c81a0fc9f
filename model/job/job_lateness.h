#pragma once

#include "model/job/job.h"

namespace lacuna {

/// Fills what Job::collectives, parts, waited and cells say of waiting, from the corrected times.
///
/// Who came last to a collective is charged with what the others waited, unless it was late already when it was last
/// released: then the lateness is traced back from collective to collective, each time to the one who came last there,
/// and charged to the own work on that way that took longer than the median of the same work on other ranks, the latest
/// first, until it is explained.
void find_lateness(Job& job);

}  // namespace lacuna
