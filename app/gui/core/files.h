#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// Writes beside `path` and renames, so that a reader sees the old or the new text, never a part.
/// The file is the user's alone (mode 0600).
Result<void> write_file_atomically(const std::string& path, std::string_view text);

/// The path without "." and "..", absolute; as given when that fails.
std::string absolute_path(const std::string& path);

/// The path with `extension` (".json.gz") behind it where its last part has none.
std::string with_extension(std::string path, std::string_view extension);

/// The last part of a path.
std::string file_name(const std::string& path);

/// "a.json.gz and 7 more"; "trace" for none.
std::string files_title(const std::vector<std::string>& paths);

}  // namespace lacuna
