#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// The shape of a tensor, as the args of an operator have it; empty for what is no tensor.
using Shape = std::vector<double>;

/// "Input Dims" as written in the file, "[[2, 3], [], [[4], [5]]]": a shape per argument; what is no tensor (or a list
/// of them) is empty.
std::vector<Shape> parse_shapes(std::string_view text);

/// A JSON list with one space after each comma, however the file has it; the strings in it stay as they are.
std::string tidy_list(std::string_view token);

/// "Input type" or "Concrete Inputs": the strings of a JSON list of strings; escapes stay. They lie in `text`.
std::vector<std::string_view> parse_strings(std::string_view text);

}  // namespace lacuna
