#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lacuna {

// Files of /proc. The process may be gone at any call. Any thread may call.

/// The whole file, at most 8 MiB of it; nothing when it cannot be opened.
std::optional<std::string> readable_proc_text(const std::string& path);
/// The same; empty when it cannot be opened.
std::string proc_text(const std::string& path);
/// Names in a folder that are numbers: processes, threads, descriptors. Empty when it cannot be read.
std::vector<int> numbers_in(const std::string& folder);

}  // namespace lacuna
