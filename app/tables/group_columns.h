#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "model/groups/group_table.h"

namespace lacuna {

/// One column of `lacuna stats --columns`.
struct GroupColumn {
  std::string_view key;    ///< in --columns and --sort-by
  std::string_view title;  ///< as in column_help()
  std::string_view json;   ///< key in JSON; in CSV the same in snake_case
  bool is_usual;           ///< shown without --columns
  void (*need)(GroupColumns&);
  /// NaN: unknown.
  double (*value)(const Trace&, const GroupTable&, const GroupRow&);
  std::string (*text)(double);
  bool is_whole;  ///< JSON writes it as an integer
};

std::span<const GroupColumn> group_columns();
/// The column of this key, or null.
const GroupColumn* group_column(std::string_view key);

/// "110 x 1 x 1"; with "…" where other kernels of the row have others.
std::string grid_text(const std::array<std::int32_t, 3>& size, bool differs);

}  // namespace lacuna
