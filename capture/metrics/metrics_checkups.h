#pragma once

#include <vector>

#include "capture/session/doctor.h"

namespace lacuna {

/// Checks which metrics of this machine's GPUs can be recorded. Waits for the driver two
/// seconds at most, and ten seconds for performance counters. Any thread.
std::vector<Checkup> examine_metrics();

}  // namespace lacuna
