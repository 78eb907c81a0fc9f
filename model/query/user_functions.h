#pragma once

#include "model/base/result.h"
#include "model/query/dialect.h"

struct sqlite3;

namespace lacuna {

/// Registers an SQL function: its body runs with its parameters bound. An existing one is replaced
/// only if the statement says so. Errors in the body are found when it is called.
Result<void> define_function(sqlite3* connection, const QueryFunction& function);

}  // namespace lacuna
