#pragma once

#include <cstdint>
#include <string>
#include <system_error>

namespace lacuna {

/// Removes a file, or a folder with its contents; links are removed, not followed. Does nothing where there is
/// nothing. Safe in destructors: unlike std::filesystem's it does not end the program when memory runs out. Returns the
/// first error; everything else that can be removed is removed.
std::error_code remove_tree(const std::string& path) noexcept;

/// Returns the total bytes of all files in a folder, except those that cannot be read.
std::uint64_t bytes_in_tree(const std::string& folder) noexcept;

}  // namespace lacuna
