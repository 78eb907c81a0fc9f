#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"

namespace lacuna {

/// `lacuna kernel NAME…`: what each name says, as text or JSON.
void print_kernels(const std::vector<std::string>& names, bool json, Output& out);

}  // namespace lacuna
