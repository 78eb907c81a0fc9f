#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// The same question put to the table of slices that are counted already (kSliceGroupsTable), where that can answer
/// it: one SELECT from `slice` alone that counts rows and adds up, averages or bounds dur (or bounds ts) for each of
/// name, category, cat or track_id, or for all, and chooses rows by these columns and by dur > 0 or dur >= 0. Nothing
/// for every other statement: that is asked as it is. SQLite takes 300 ns for a row of a table; this is for traces
/// of millions.
///
/// Columns are the same, in the same order; their names are those of the statement itself. `slice` and the functions
/// count, sum, avg, min and max must be what they are by default.
std::optional<std::string> grouped_query(std::string_view sql);

}  // namespace lacuna
