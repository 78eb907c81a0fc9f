#pragma once

#include <string>
#include <system_error>
#include <vector>

namespace lacuna {

/// Returns the paths in a folder, unordered. Throws std::bad_alloc, where std::filesystem's iterators would end the
/// program. After an error, returns the paths found so far.
std::vector<std::string> folder_paths(const std::string& folder, std::error_code& error);

/// Returns the existing paths that match a shell pattern (*, ?, [a-z]).
std::vector<std::string> paths_matching(const std::string& pattern);

}  // namespace lacuna
