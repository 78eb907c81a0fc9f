#pragma once

#include <string_view>

namespace lacuna {

/// Lines that show how a command is used, for its help; empty where it has none.
std::string_view command_examples(std::string_view command);

}  // namespace lacuna
