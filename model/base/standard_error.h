#pragma once

#include <string_view>

namespace lacuna {

/// Writes `text` to standard error unchanged. Failures (the terminal closed, its disk is full) are ignored:
/// a closed or full standard error must not stop the program's work. Any thread.
void to_standard_error(std::string_view text) noexcept;

}  // namespace lacuna
