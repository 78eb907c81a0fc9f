#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// Rewrites a query to use the table of precomputed slice groups (kSliceGroupsTable), if that can answer
/// it: one SELECT from `slice` alone that counts rows and sums, averages or bounds dur (or bounds ts), grouped by
/// name, category, cat or track_id, or not at all, with conditions on these columns and on dur > 0 or dur >= 0. Nothing
/// for any other statement: it is run unchanged. SQLite takes 300 ns per row of a table; this is for traces
/// of millions of slices.
///
/// Columns are the same, in the same order; their names are those of the statement itself. `slice` and the functions
/// count, sum, avg, min and max must have their default meaning.
std::optional<std::string> grouped_query(std::string_view sql);

}  // namespace lacuna
