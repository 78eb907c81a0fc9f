#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "model/query/query_source.h"
#include "model/query/query_table.h"

namespace lacuna {

/// Perfetto's tables, by the names and columns of its prelude.
std::vector<std::unique_ptr<QueryTable>> perfetto_tables(QuerySource& source, const std::atomic<bool>* cancel);

/// The views over them that its prelude and slices.with_context make: statements for the connection.
std::string_view perfetto_views();

}  // namespace lacuna
