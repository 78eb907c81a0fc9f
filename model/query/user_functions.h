#pragma once

#include "model/base/result.h"
#include "model/query/dialect.h"

struct sqlite3;

namespace lacuna {

/// Makes a function of SQL callable: its body runs with its parameters bound. One that is there already is replaced
/// only where the statement says so. Errors: those of its body are found when it is called.
Result<void> define_function(sqlite3* connection, const QueryFunction& function);

}  // namespace lacuna
