#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/formats/format_use.h"

namespace lacuna {

/// Returns the endings of all files that can be opened, including containers and archives: ".json", ".gz" …
const std::vector<std::string_view>& file_endings();

/// Whether a file's name suggests that it can be opened: it ends with one of file_endings(), in any case, or begins
/// like the files of a format (nccl_trace_rank_0).
bool looks_like_trace(std::string_view name);

/// Whether a file's name is typical of files for this use, inside a container or not, in any case. Stricter than
/// looks_like_trace(): false for "a.tar.gz".
bool is_named_for(FormatUse use, std::string_view name);

/// Whether a file has the name of an archive: "run.zip", "run.tar.gz".
bool is_named_archive(std::string_view name);

/// Returns the names that is_named_for() accepts for `uses`: "*.json, *.trace, also with .gz or .zst; *.sqlite".
std::string describe_names(std::span<const FormatUse> uses);

}  // namespace lacuna
