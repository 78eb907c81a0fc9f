#pragma once

#include <string_view>

#include "app/cli/json_writer.h"
#include "model/base/result.h"
#include "model/query/query_rows.h"

namespace lacuna {

/// The rows of one list of the JSON that `lacuna report --json` writes (or "summary": a row a report, of what stands in
/// no list), of all reports of the document, each with the path and rank of its trace. Keys of the document are
/// columns in snake_case, those of objects behind the object's own ("time_busy_ns"); lists in a row are JSON texts.
/// Errors: kInvalidArgument when there is no such table.
Result<QueryRows> report_rows(const Json& document, std::string_view name);

}  // namespace lacuna
