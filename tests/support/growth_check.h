#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lacuna {

/// How much larger the large input is.
inline constexpr std::size_t kGrowth = 8;

/// Compares what `run` costs of the small and of the kGrowth times as large input: what it asks memory for, which is
/// the same each time, and what it makes the processors do (tests/support/counted_work.h; where that is no count but
/// CPU time, what took too long is measured again). Fails where that is more than 2.5 times for each doubling; but
/// where the answer itself must grow faster (a line a stack, each with all of its frames), so may the cost. What costs
/// next to nothing counts as a little. With sanitizers, which have the memory, nothing is checked.
void check_growth(std::string_view what, const std::function<void(bool is_large, std::string& answer)>& run);

}  // namespace lacuna
