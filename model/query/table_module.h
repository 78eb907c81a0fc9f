#pragma once

#include <string>

#include "model/base/result.h"
#include "model/query/query_table.h"

struct sqlite3;
struct sqlite3_context;

namespace lacuna {

/// Makes `table` readable under its name. It must outlive the connection.
Result<void> register_table(sqlite3* connection, QueryTable& table);

/// Hands a cell to SQLite; text of the trace is not copied.
void give_cell(sqlite3_context* context, const Cell& cell);

/// "CREATE TABLE x(…)" as xConnect declares it.
std::string declaration_of(const QueryTable& table);

}  // namespace lacuna
