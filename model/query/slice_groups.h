#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "model/query/query_source.h"
#include "model/query/query_table.h"

namespace lacuna {

/// The table over which grouped_query() puts aggregates: a row for all slices of one name, category and track whose
/// durations have the same sign. Made when first asked for, in O(slices), then kept.
///
/// Columns: name, category, cat, track_id; _sign of dur; _rows how many there are; _sum, _least and _most of their dur;
/// _first and _last of their ts.
inline constexpr std::string_view kSliceGroupsTable = "_slice_group";

/// Preparing it fails with kLimit where sums would not be exact as doubles, or groups are nearly as many as slices.
std::unique_ptr<QueryTable> slice_groups_table(QuerySource& source, const std::atomic<bool>* cancel);

}  // namespace lacuna
