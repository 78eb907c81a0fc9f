#pragma once

#include <string_view>

#include "model/base/result.h"

namespace lacuna {

/// `lacuna doctor`: what of live capture works on this machine, and what to do about the rest. Looks
/// and asks, changes nothing; runs python3 to ask for torch.
Result<void> run_doctor();

}  // namespace lacuna
