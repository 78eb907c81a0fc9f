#pragma once

#include <string_view>

namespace lacuna {

/// Writes `text` to standard error as it is. What cannot be written (the terminal closed, its disk is full) is let go:
/// a closed or full standard error must not end the program's work. Any thread.
void to_standard_error(std::string_view text) noexcept;

}  // namespace lacuna
