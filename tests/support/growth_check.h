#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lacuna {

/// Size of the large input relative to the small one.
inline constexpr std::size_t kGrowth = 8;

/// Compares the cost of `run` for the small and the kGrowth times as large input: the memory that it requests, which is
/// the same each time, and the work of the processors (tests/support/counted_work.h; if that is CPU time instead of a
/// count, a slow run is measured again). Fails if it grows more than 2.5 times per doubling; but
/// if the answer itself must grow faster (a line per stack, each with all of its frames), so may the cost. A tiny
/// cost counts as a small constant. With sanitizers, which replace the allocator, nothing is checked.
void check_growth(std::string_view what, const std::function<void(bool is_large, std::string& answer)>& run);

}  // namespace lacuna
