#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// The shape of a tensor in an operator's args; empty for other values.
using Shape = std::vector<double>;

/// Returns the product of the sizes from that dimension on.
double product(const Shape& shape, std::size_t from = 0);

/// Parses "Input Dims" as written in the file, "[[2, 3], [], [[4], [5]]]": a shape per argument; empty for values that
/// are not tensors, and for lists of tensors.
std::vector<Shape> parse_shapes(std::string_view text);

/// Returns a JSON list with one space after each comma, however it is written; strings in it are unchanged.
std::string tidy_list(std::string_view token);

/// Parses "Input type" or "Concrete Inputs": a JSON list of strings; escapes stay. The views refer to `text`.
std::vector<std::string_view> parse_strings(std::string_view text);

}  // namespace lacuna
