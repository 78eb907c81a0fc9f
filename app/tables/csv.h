#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Returns one field of a CSV line as of RFC 4180: quoted where needed, quotes doubled.
std::string csv_field(std::string_view text);

/// Returns the column name for a JSON key: "selfCpuNs" -> "self_cpu_ns".
std::string csv_name(std::string_view json_key);

}  // namespace lacuna
