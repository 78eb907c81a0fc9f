#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/import/importer.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Imports `paths` into one trace, or takes it from the cache. Clocks as resolve_clocks() says.
Result<Trace> load_traces(const std::vector<std::string>& paths, const ImportOptions& options);

/// kInvalidArgument when `output` is one of the files that `paths` stand for: an answer never replaces its trace.
Result<void> check_is_no_input(const std::string& output, std::span<const std::string> paths);

/// "lacuna: FILE: byte OFFSET: cause" and a line end, on `err`.
void print_error(const Error& error, std::FILE* err);

/// One line on `err` for each kind of repair and data loss of the import, so that nobody takes the
/// numbers for those of an undamaged file. Findings that are mere properties stay for `lacuna info`.
void print_warnings(const Trace& trace, std::FILE* err);

}  // namespace lacuna
