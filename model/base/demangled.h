#pragma once

#include <optional>
#include <string>

namespace lacuna {

/// Returns a C++ name ("_Z1fv": "f()") as people write it; nothing where it is no mangled name. Encoded types are taken
/// as well: "i" is "int". Throws std::bad_alloc.
std::optional<std::string> demangled(const std::string& name);

}  // namespace lacuna
