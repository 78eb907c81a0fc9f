#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// The path that a "file://" address of this machine names (RFC 8089), with its %XX undone. Nothing: it is another
/// address, of another machine, not absolute, or names a zero byte.
std::optional<std::string> path_of_file_uri(std::string_view uri);

}  // namespace lacuna
