#pragma once

#include <string_view>

namespace lacuna {

/// Whether `text` may stand between the braces of a JSON object: "key": value, and so on, or
/// empty. Checks text of an untrusted target before it goes into the file. At most 16 levels deep; O(length).
bool is_json_members(std::string_view text);

}  // namespace lacuna
