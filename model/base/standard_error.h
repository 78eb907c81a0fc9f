#pragma once

#include <string_view>

namespace lacuna {

/// Writes `text` to standard error as it is. What cannot be written (the terminal closed, its disk is full) is let go:
/// what the program does must not end because nobody can read about it. Any thread.
void to_standard_error(std::string_view text) noexcept;

}  // namespace lacuna
