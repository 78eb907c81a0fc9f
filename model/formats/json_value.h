#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Appends `text` as a JSON string, quotes included. What is not UTF-8 becomes U+FFFD, so that the result is valid JSON
/// whatever the bytes.
void append_json_string(std::string_view text, std::string& out);

/// True when `text` is one JSON value and nothing else, no more than 64 levels deep and with neither raw control
/// characters nor bytes that are no UTF-8 in it.
bool is_json_value(std::string_view text);

}  // namespace lacuna
