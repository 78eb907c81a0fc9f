#pragma once

#include <string>

#include "model/base/result.h"
#include "model/query/query_table.h"

struct sqlite3;
struct sqlite3_context;

namespace lacuna {

/// Registers `table` under its name. It must outlive the connection.
Result<void> register_table(sqlite3* connection, QueryTable& table);

/// Passes a cell to SQLite; text of the trace is not copied.
void give_cell(sqlite3_context* context, const Cell& cell);

/// Returns "CREATE TABLE x(…)", as declared by xConnect.
std::string declaration_of(const QueryTable& table);

}  // namespace lacuna
