#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// The meaning of one column of a table, for tooltips and `lacuna stats --explain`.
struct ColumnHelp {
  std::string_view table;       ///< "statistics", "report", "torch"
  std::string_view title;       ///< as shown: "Self CPU %"; CUDA stands for any device
  std::string_view keys;        ///< names in JSON, CSV and --sort-by, separated by spaces
  std::string_view definition;  ///< in sentences
  std::string_view source;      ///< the origin of the definition
};

/// Returns every column of every table, in the order shown.
std::span<const ColumnHelp> column_help();

/// Returns the columns that `text` names, by title or key; ignores case, spaces and underscores, and takes
/// "xpu" and "device" for "cuda". Empty if there is none. O(columns).
std::vector<const ColumnHelp*> explain_column(std::string_view text);

}  // namespace lacuna
