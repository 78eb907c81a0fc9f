#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// The path without "." and "..", absolute; as given when that fails.
std::string absolute_path(const std::string& path);

/// The path with `extension` (".json.gz") behind it where its last part has none.
std::string with_extension(std::string path, std::string_view extension);

/// The last part of a path.
std::string file_name(const std::string& path);

/// "a.json.gz and 7 more"; "trace" for none.
std::string files_title(const std::vector<std::string>& paths);

}  // namespace lacuna
