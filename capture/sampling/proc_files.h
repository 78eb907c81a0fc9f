#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lacuna {

// Reading /proc. The process may end at any time. Any thread.

/// Returns the whole file, at most 8 MiB; nothing if it cannot be opened.
std::optional<std::string> readable_proc_text(const std::string& path);
/// Returns the whole file, at most 8 MiB; empty if it cannot be opened.
std::string proc_text(const std::string& path);
/// Returns the numeric names in a folder: processes, threads, descriptors. Empty if it cannot be read.
std::vector<int> numbers_in(const std::string& folder);

}  // namespace lacuna
