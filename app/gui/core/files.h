#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Returns the absolute path without "." and ".."; the path as given when that fails.
std::string absolute_path(const std::string& path);

/// Returns the path, with `extension` (".json.gz") appended if its last part has no extension.
std::string with_extension(std::string path, std::string_view extension);

/// Returns the last part of a path.
std::string file_name(const std::string& path);

/// Returns a title such as "a.json.gz and 7 more"; "trace" for an empty list.
std::string files_title(const std::vector<std::string>& paths);

}  // namespace lacuna
