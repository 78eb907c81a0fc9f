#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/cache/trace_cache.h"

namespace lacuna {

/// A trace as it is opened: imported, with what belongs to it.
KeptTrace open_anew(std::span<const std::string> paths, const ImportOptions& options = {});

/// The whole file of a stored trace.
std::string stored_bytes(const KeptTrace& kept);

/// What such a file holds, or nothing when it is refused.
std::optional<KeptTrace> from_stored_bytes(const std::string& bytes);

std::string read_whole_file(const std::string& path);
void write_whole_file(const std::string& path, const std::string& bytes);

}  // namespace lacuna
