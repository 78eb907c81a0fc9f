#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// One field of a CSV line by RFC 4180: quoted where needed, quotes doubled.
std::string csv_field(std::string_view text);

/// The name of a column, made of a JSON key: "selfCpuNs" -> "self_cpu_ns".
std::string csv_name(std::string_view json_key);

}  // namespace lacuna
