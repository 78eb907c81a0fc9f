#pragma once

#include <string_view>

namespace lacuna {

/// Returns the most informative part of a name, for narrow places; always a suffix of `name`.
///   "void at::native::vectorized_elementwise_kernel<4, …>(int)" -> "vectorized_elementwise_kernel<4…"
///   "torch/nn/modules/linear.py(114): forward"                  -> "linear.py(114): forward"
/// Names without arguments in <> or () stay whole ("aten::add"). O(length).
std::string_view short_name(std::string_view name);

}  // namespace lacuna
