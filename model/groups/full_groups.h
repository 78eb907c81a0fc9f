#pragma once

#include <memory>
#include <string>

#include "model/groups/group_table.h"

namespace lacuna {

/// A table of groups with every column.
struct FullGroups {
  GroupOptions options;  ///< without `cancel`; its roofline is null if the file cannot be read again
  GroupTable table;
  std::string problem;        ///< why there is no table; empty: there is one
  bool is_cancelled = false;  ///< the table means nothing
};

/// Computes all columns of a table; those that need args only if the file can be read again. Of `options` only the
/// columns are set here; a roofline of an earlier table saves its computing. Throws std::bad_alloc. Any thread.
FullGroups compute_full_groups(const Trace& trace, const GroupOptions& options);

}  // namespace lacuna
