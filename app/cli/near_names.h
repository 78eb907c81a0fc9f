#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Suggestions for a mistyped name: those of `names` like `wanted`, nearest first, at most `most`: equal but for case
/// and punctuation, one inside the other, or two letters off at most. O(names * length²).
std::vector<std::string> near_names(std::string_view wanted, std::span<const std::string> names, std::size_t most);

}  // namespace lacuna
