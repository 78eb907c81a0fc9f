#pragma once

#include <atomic>

#include "model/base/result.h"
#include "model/query/query_source.h"
#include "model/query/query_table.h"

struct sqlite3;

namespace lacuna {

/// Registers the table `args`, whose rows are read from the file on demand (fastest by arg_set_id), and extract_arg().
/// `source` and `cancel` must outlive the connection.
Result<void> register_arguments(sqlite3* connection, QuerySource& source, const std::atomic<bool>* cancel);

/// The columns of `args` with their descriptions.
const QueryTable& arguments_schema();

}  // namespace lacuna
