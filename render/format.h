#pragma once

#include <cstdint>
#include <string>

#include "model/time.h"

namespace lacuna {

/// "0 ns", "812 ns", "3.21 us" (with a micro sign), "12.3 ms", "1.23 s", "2 min 03.4 s": 3-4 significant digits.
std::string format_duration(Nanos ns);
/// With every digit: "1,294.789 ms" for tooltips and copying.
std::string format_duration_exact(Nanos ns);
/// Thousands separated: "1,465".
std::string format_count(std::uint64_t n);
/// "97.3 %".
std::string format_percent(double part);
/// 1024-based: "1.33 GiB".
std::string format_bytes(std::uint64_t bytes);

}  // namespace lacuna
