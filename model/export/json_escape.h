#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Appends `text` as a JSON string, quotes included. What is not UTF-8 becomes U+FFFD, so that the
/// result is valid JSON whatever the bytes.
void append_json_string(std::string_view text, std::string& out);

}  // namespace lacuna
