#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna {

inline constexpr std::uint32_t kUnaligned = ~0u;

/// The longest common subsequence of two sequences, as for each place of `to` the place of `from` that it is the same
/// as; ascending, kUnaligned where there is none. What lies further than `window` off the diagonal is not looked at,
/// which bounds the cost of long ones: O(length of from * window) time and bytes behind what both begin and end with,
/// which costs O(length).
std::vector<std::uint32_t> align_sequences(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
                                           std::size_t window = 1024);

}  // namespace lacuna
