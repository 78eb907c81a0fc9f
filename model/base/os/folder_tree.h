#pragma once

#include <cstdint>
#include <string>
#include <system_error>

namespace lacuna {

/// Removes a file, or a folder with all that is in it; links are removed, not followed. Where nothing is, nothing is
/// done. std::filesystem's ends the program where it finds no memory; this may be called by destructors. The first
/// error; what could be removed is gone even so.
std::error_code remove_tree(const std::string& path) noexcept;

/// The bytes of all files in a folder; those of what cannot be read are left out.
std::uint64_t bytes_in_tree(const std::string& folder) noexcept;

}  // namespace lacuna
