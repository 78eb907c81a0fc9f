#pragma once

#include <memory>
#include <vector>

#include "model/base/result.h"
#include "model/query/query_source.h"
#include "model/query/query_table.h"

struct sqlite3;

namespace lacuna {

/// Table functions over slices and flows: ancestor_slice(id), descendant_slice(id) (all columns of slice),
/// following_flow(id), preceding_flow(id), directly_connected_flow(id) (all columns of flow).
/// They return rows of `slices` and `flows`; all arguments must outlive the connection.
Result<void> register_slice_functions(sqlite3* connection, QuerySource& source, QueryTable& slices, QueryTable& flows);

}  // namespace lacuna
