#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// A value of a counter for people: of bytes "1.33 GiB", of shares "97 %", else with thousands separated. The unit is
/// inferred from the counter's name ("Total Allocated", "gpu_utilization"); `greatest` is the largest of its values,
/// because what is called memory but never exceeds 1024 may be of another unit.
std::string counter_text(std::string_view name, double greatest, double value);

}  // namespace lacuna
