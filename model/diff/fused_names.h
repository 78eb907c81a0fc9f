#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lacuna {

inline constexpr std::uint32_t kNotFused = ~0u;

/// Inductor writes into the name of a Triton kernel which operators it fused: "triton_red_fused_add_mean_mul_0". For
/// each name of two lists the number of the group that it belongs to, kNotFused where none: operators of one list and
/// Triton kernels of the other that name them, and all that these have in common with others. O(length of the names).
std::array<std::vector<std::uint32_t>, 2> group_fused_names(const std::array<std::vector<std::string_view>, 2>& names);

}  // namespace lacuna
