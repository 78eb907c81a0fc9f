#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// What one column of a table means, for tooltips and `lacuna stats --explain`.
struct ColumnHelp {
  std::string_view table;       ///< "statistics", "report", "torch"
  std::string_view title;       ///< as shown: "Self CPU %"; CUDA stands for any device
  std::string_view keys;        ///< names in JSON, CSV and --sort-by, separated by spaces
  std::string_view definition;  ///< sentences
  std::string_view source;      ///< who defined it so
};

/// Every column of every table, in the order shown.
std::span<const ColumnHelp> column_help();

/// The columns that `text` names, by title or key; capitals, spaces and underscores do not matter,
/// "xpu" and "device" are "cuda". Empty when there is none. O(columns).
std::vector<const ColumnHelp*> explain_column(std::string_view text);

}  // namespace lacuna
