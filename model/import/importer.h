#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/base/result.h"
#include "model/input/import_options.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Limit of a PageReuse around an import and what is built from the trace at once, such as its levels of detail. More
/// would save some page faults, but add to the peak memory of an import, when lanes are filled.
inline constexpr std::size_t kReusedByImports = std::size_t{24} << 20;

/// Reads files of any format (formats.h; plain, gzip or zstd, recognised by content) into one Trace, each
/// as a source of its own.
///
/// Damaged input is salvaged: the Trace holds all that can be read, and its report what was repaired or
/// lost. Returns an Error only if nothing can be shown: missing, unreadable or empty file,
/// unknown format, no events and no metadata, a limit, or cancellation.
/// Blocking; call it on a worker thread. The Trace keeps what it needs to read args later.
Result<Trace> import_files(std::span<const std::string> paths, const ImportOptions& options = {},
                           ImportProgress* progress = nullptr);

/// Reads JSON already in memory (literals in tests, fuzzing). `label` takes the place of the path.
Result<Trace> import_json(std::string_view json, std::string label = "literal", const ImportOptions& options = {});

}  // namespace lacuna
