#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/base/result.h"
#include "model/input/import_options.h"
#include "model/trace/trace.h"

namespace lacuna {

/// For a PageReuse around an import and what is made of the trace at once, such as its levels of detail. More would
/// save some faults of pages, but be held beside the lanes while they are filled: an import's peak.
inline constexpr std::size_t kReusedByImports = std::size_t{24} << 20;

/// Reads files of any format (formats.h; plain, gzip or zstd, recognised by content) into one Trace; several files
/// become several sources side by side.
///
/// Damaged input is salvaged: what can be read is in the Trace, what was repaired or lost is in its
/// report. An Error is returned only where nothing can be shown: missing, unreadable or empty file,
/// of no format, no events and no metadata in it, a limit, or cancellation.
/// Blocking; call it on a worker thread. The Trace keeps what it needs to read args later.
Result<Trace> import_files(std::span<const std::string> paths, const ImportOptions& options = {},
                           ImportProgress* progress = nullptr);

/// Same, from JSON already in memory (literals in tests, fuzzing). `label` stands for the path.
Result<Trace> import_json(std::string_view json, std::string label = "literal", const ImportOptions& options = {});

}  // namespace lacuna
