#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/import/importer.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Imports `paths` into one trace, or takes it from the cache. Clocks as resolve_clocks() says.
Result<Trace> load_traces(const std::vector<std::string>& paths, const ImportOptions& options);

/// "lacuna: FILE: byte OFFSET: cause" and a line end, on `err`.
void print_error(const Error& error, std::FILE* err);

/// One line on `err` for each kind of repair and data loss of the import, so that the user does not take the
/// numbers for those of an undamaged file. Findings that are only properties of the file are left to `lacuna info`.
void print_warnings(const Trace& trace, std::FILE* err);

}  // namespace lacuna
