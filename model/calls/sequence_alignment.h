#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna {

inline constexpr std::uint32_t kUnaligned = ~0u;

/// Returns the longest common subsequence of two sequences: for each index of `to` the matching index of `from`,
/// ascending, or kUnaligned. Ignores matches further than `window` from the diagonal, which
/// bounds the cost for long sequences: O(length of from * window) time and bytes, without the common beginning and end,
/// which cost O(length).
std::vector<std::uint32_t> align_sequences(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
                                           std::size_t window = 1024);

}  // namespace lacuna
