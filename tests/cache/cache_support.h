#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/cache/trace_cache.h"

namespace lacuna {

/// Opens a trace without the cache: imports it, with its derived data.
KeptTrace open_anew(std::span<const std::string> paths, const ImportOptions& options = {});

/// Returns the bytes of the file of a stored trace.
std::string stored_bytes(const KeptTrace& kept);

/// Reads such a file; nothing if it is rejected.
std::optional<KeptTrace> from_stored_bytes(const std::string& bytes);

std::string read_whole_file(const std::string& path);
void write_whole_file(const std::string& path, const std::string& bytes);

}  // namespace lacuna
