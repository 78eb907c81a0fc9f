#pragma once

#include <vector>

#include "capture/session/doctor.h"

namespace lacuna {

/// What can be read of this machine's GPUs beside a recording. Waits for the driver two
/// seconds at most, and ten where it is asked about counters. Any thread.
std::vector<Checkup> examine_metrics();

}  // namespace lacuna
