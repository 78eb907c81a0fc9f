#pragma once

#include <string>
#include <system_error>
#include <vector>

namespace lacuna {

/// What lies in a folder, in no order. std::filesystem's iterators end the program where they find no memory; this
/// throws std::bad_alloc, as all else. On an error what was found until then.
std::vector<std::string> folder_paths(const std::string& folder, std::error_code& error);

/// What is there of a pattern as a shell has it (*, ?, [a-z]).
std::vector<std::string> paths_matching(const std::string& pattern);

}  // namespace lacuna
