#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace lacuna {

/// JSON that the window reads: what these do is compiled once, where each call of the library is a parser of its own.
/// Any thread.

/// What `text` says, without values that are nested more than 500 deep; a discarded value where it is not JSON.
nlohmann::json parse_json(std::string_view text);
/// The same, with keys in their order.
nlohmann::ordered_json parse_ordered_json(std::string_view text);
bool is_json(std::string_view text);
/// What is wrong with `text`, in the library's words; empty: nothing is.
std::string json_fault(std::string_view text);

}  // namespace lacuna
