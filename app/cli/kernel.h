#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"

namespace lacuna {

/// `lacuna kernel NAME…`: explains the name of each kernel, as text or JSON.
void print_kernels(const std::vector<std::string>& names, bool json, Output& out);

}  // namespace lacuna
