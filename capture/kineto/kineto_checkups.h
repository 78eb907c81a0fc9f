#pragma once

#include <vector>

#include "capture/session/doctor.h"

namespace lacuna {

/// What can be had of programs that run already: dormant ones and those that should be, whether jobs answer requests,
/// what else asks them, and whether stacks of running processes may be read. Some milliseconds; wakes no program.
std::vector<Checkup> examine_running();

}  // namespace lacuna
