#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Appends `text` as a JSON string, with quotes. Bytes that are not UTF-8 become U+FFFD, so that the result is valid
/// JSON for any bytes.
void append_json_string(std::string_view text, std::string& out);

/// Whether `text` is one JSON value and nothing else, at most 64 levels deep, without raw control
/// characters and bytes that are not UTF-8.
bool is_json_value(std::string_view text);

}  // namespace lacuna
