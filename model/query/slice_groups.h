#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "model/query/query_source.h"
#include "model/query/query_table.h"

namespace lacuna {

/// The table on which grouped_query() computes aggregates: one row for all slices of one name, category and track with
/// the same sign of their durations. Built on first use, in O(slices), then kept.
///
/// Columns: name, category, cat, track_id; _sign of dur; _rows: number of slices; _sum, _least and _most of their dur;
/// _first and _last of their ts.
inline constexpr std::string_view kSliceGroupsTable = "_slice_group";

/// Preparing it fails with kLimit if sums would not be exact as doubles, or there are nearly as many groups as slices.
std::unique_ptr<QueryTable> slice_groups_table(QuerySource& source, const std::atomic<bool>* cancel);

}  // namespace lacuna
