#pragma once

#include <string_view>

#include "model/base/result.h"

namespace lacuna {

/// `lacuna doctor`: says which parts of live capture work on this machine and how to get the others. Only reads;
/// changes nothing; runs python3 to ask for torch.
Result<void> run_doctor();

}  // namespace lacuna
