#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Formats a counter's value for users: bytes as "1.33 GiB", fractions as "97 %", else with thousands separators. The
/// unit is inferred from the counter's name ("Total Allocated", "gpu_utilization"); `greatest` is the largest value,
/// because a counter named after memory that never exceeds 1024 may have another unit.
std::string counter_text(std::string_view name, double greatest, double value);

}  // namespace lacuna
