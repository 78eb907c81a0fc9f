#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/formats/format_use.h"

namespace lacuna {

/// What the names of files that can be opened end with, those of containers and archives among them: ".json", ".gz" …
const std::vector<std::string_view>& file_endings();

/// Whether a file may be one to open, by its name: it ends with one of file_endings(), in any case, or begins as that
/// of a format does (nccl_trace_rank_0).
bool looks_like_trace(std::string_view name);

/// Whether a file has a name that files for this use have, in a container or not, in any case. Stricter than
/// looks_like_trace(): "a.tar.gz" has none.
bool is_named_for(FormatUse use, std::string_view name);

/// Whether a file has the name of an archive: "run.zip", "run.tar.gz".
bool is_named_archive(std::string_view name);

/// "*.json, *.trace, also with .gz or .zst; *.sqlite": what is_named_for() one of `uses`.
std::string describe_names(std::span<const FormatUse> uses);

}  // namespace lacuna
