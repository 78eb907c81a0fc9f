#pragma once

#include <vector>

#include "capture/session/doctor.h"

namespace lacuna {

/// Checks which ways of sampling other programs this machine permits, and what to change: Python stacks, native
/// stacks, thread states. Starts nothing. Any thread.
std::vector<Checkup> examine_sampling();

}  // namespace lacuna
