#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace lacuna {

/// Parses JSON for the window. The library's parser is instantiated here alone, which saves build time.
/// Any thread.

/// The parsed value, without what is nested more than 500 deep; a discarded value where `text` is not JSON.
nlohmann::json parse_json(std::string_view text);
/// The same, with keys in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text);
bool is_json(std::string_view text);
/// The library's message about the first error in `text`; empty: it is JSON.
std::string json_fault(std::string_view text);

}  // namespace lacuna
