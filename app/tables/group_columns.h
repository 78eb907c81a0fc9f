#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "model/groups/group_table.h"

namespace lacuna {

/// One column of `lacuna stats --columns`.
struct GroupColumn {
  std::string_view key;    ///< name in --columns and --sort-by
  std::string_view title;  ///< as in column_help()
  std::string_view json;   ///< JSON key; CSV has it in snake_case
  bool is_usual;           ///< shown without --columns
  void (*need)(GroupColumns&);
  /// Returns the value of a row; NaN: unknown.
  double (*value)(const Trace&, const GroupTable&, const GroupRow&);
  std::string (*text)(double);
  bool is_whole;  ///< JSON writes it as an integer
  /// For a column of text, whose value only sorts: returns the text of a row with a known value. Null: numbers.
  std::string (*words)(const GroupRow&) = nullptr;
  std::string (*list)(const GroupRow&) = nullptr;  ///< for text: returns its JSON list; null: JSON has the text

  /// Returns the cell as text; "-" if the value is unknown.
  std::string text_of(const Trace& trace, const GroupTable& table, const GroupRow& row) const;
};

std::span<const GroupColumn> group_columns();
/// Returns the column with this key, or null.
const GroupColumn* group_column(std::string_view key);

}  // namespace lacuna
