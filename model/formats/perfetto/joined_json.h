#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Two JSON values of one arg, as Perfetto joins what is told twice: objects get the members of both, lists the entries
/// of both one behind the other; of anything else the later one stays. Both are whole values.
std::string joined_json(std::string_view earlier, std::string_view later);

}  // namespace lacuna
