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

/// Loads the traces once and answers requests on `in` until it ends, as query_help() says. A request that fails is
/// answered with its error; an error here means that no answer can be written. `most_steps`: the limit of queries
/// without
Result<void> serve_queries(const std::vector<std::string>& paths, const ImportOptions& import, std::uint64_t most_steps,
                           std::FILE* in, Output& out);

/// Runs the SQL and writes its rows as an Arrow IPC stream.
Result<QueryDatabase::Outcome> write_query_arrow(QueryDatabase& database, std::string_view sql,
                                                 const QueryDatabase::Options& options, Output& out);

}  // namespace lacuna
