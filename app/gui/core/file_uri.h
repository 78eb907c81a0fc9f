#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// Returns the path that a "file://" address of this machine names (RFC 8089), with its %XX decoded. Nothing for any
/// other address: one of another machine, a relative one, or one with a zero byte.
std::optional<std::string> path_of_file_uri(std::string_view uri);

}  // namespace lacuna
