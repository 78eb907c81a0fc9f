#pragma once

#include <span>
#include <string_view>

#include "app/cli/json_writer.h"
#include "model/base/result.h"
#include "model/query/query_rows.h"

namespace lacuna {

/// Names a list of the JSON that `lacuna report --json` writes; each is a table.
struct ReportList {
  std::string_view name;
  std::string_view help;
};
std::span<const ReportList> report_lists();

/// The rows of one, of all reports of the document, each with the path and rank of its trace. Keys of the document are
/// columns in snake_case, those of objects behind the object's own ("time_busy_ns"); lists in a row are JSON texts.
/// Errors: kInvalidArgument when there is no such table.
Result<QueryRows> report_rows(const Json& document, std::string_view name);

}  // namespace lacuna
