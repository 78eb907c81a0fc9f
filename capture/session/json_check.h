#pragma once

#include <string_view>

namespace lacuna {

/// True when `text` is what may stand between the braces of a JSON object: "key": value, and so on; also when it is
/// empty. For text that an untrusted target wants in the file as it is. At most 16 levels deep; O(length).
bool is_json_members(std::string_view text);

}  // namespace lacuna
