#pragma once

#include <vector>

#include "capture/session/doctor.h"

namespace lacuna {

/// What this machine allows of looking at programs from outside, and what to set: stacks of Python, stacks of native
/// code, thread states. Starts nothing. Any thread.
std::vector<Checkup> examine_sampling();

}  // namespace lacuna
