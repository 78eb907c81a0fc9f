#pragma once

#include <vector>

#include "capture/session/doctor.h"

namespace lacuna {

/// Checks what can be recorded of running programs: which are dormant or should be, whether jobs answer requests,
/// other daemons, and whether stacks of running processes can be read. Some milliseconds; wakes no program.
std::vector<Checkup> examine_running();

}  // namespace lacuna
