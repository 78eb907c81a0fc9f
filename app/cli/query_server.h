#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "model/base/result.h"
#include "model/import/importer.h"
#include "model/query/query_database.h"

namespace lacuna {

/// Loads the traces once and answers requests on `in` until it ends, as query_help() says. An answer that fails is told
/// to who asked; an error here means that the answer cannot be written.
Result<void> serve_queries(const std::vector<std::string>& paths, const ImportOptions& import, std::FILE* in,
                           Output& out);

/// Runs the SQL and writes its rows as an Arrow IPC stream. `most_rows` 0: all.
Result<QueryDatabase::Outcome> write_query_arrow(QueryDatabase& database, std::string_view sql, std::uint64_t most_rows,
                                                 Output& out);

}  // namespace lacuna
