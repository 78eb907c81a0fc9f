#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "model/query/query_source.h"
#include "model/query/query_table.h"

namespace lacuna {

/// Returns Perfetto's tables, with the names and columns of its prelude.
std::vector<std::unique_ptr<QueryTable>> perfetto_tables(QuerySource& source, const std::atomic<bool>* cancel);

/// Returns the SQL that creates the views of Perfetto's prelude and of slices.with_context over these tables.
std::string_view perfetto_views();

}  // namespace lacuna
