#pragma once

#include "model/job/job.h"

namespace lacuna {

/// Fills the waiting and lateness members of Job::collectives, parts, waited and cells from the corrected times.
///
/// The last rank to enter a collective is charged with the others' waiting, unless it was already late when it was last
/// released: then the lateness is traced back from collective to collective, each time to the last rank to enter,
/// and charged to the own work on that way that took longer than the median of the same work on other ranks, the latest
/// first, until it is explained.
void find_lateness(Job& job);

}  // namespace lacuna
