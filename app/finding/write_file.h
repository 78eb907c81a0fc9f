#pragma once

#include <string>
#include <string_view>

#include "model/base/result.h"

namespace lacuna {

/// Writes beside `path` and renames, so that a reader sees the old or the new text, never a part.
/// The file is the user's alone (mode 0600).
Result<void> write_file_atomically(const std::string& path, std::string_view text);

}  // namespace lacuna
