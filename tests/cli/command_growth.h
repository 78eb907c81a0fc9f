#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "app/cli/output.h"
#include "tests/support/growth_check.h"

namespace lacuna {

/// Runs check_growth() on the output of a command.
inline void check_command(std::string_view what, const std::function<void(bool is_large, Output&)>& run) {
  check_growth(what, [&](bool is_large, std::string& answer) {
    Output out(answer);
    run(is_large, out);
    REQUIRE(out.finish().has_value());
  });
}

}  // namespace lacuna
