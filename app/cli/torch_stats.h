#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/cli/output.h"
#include "app/cli/stats.h"
#include "model/torch/torch_text.h"

namespace CLI {
class App;
}

namespace lacuna {

/// `lacuna stats --table torch`: the table of torch.profiler.
struct TorchStatsOptions {
  std::string table = "statistics";  ///< or "torch"
  std::string time = "sum";          ///< or "union"
  std::string time_unit = "auto";
  long row_limit = 100;  ///< -1: all
  bool has_row_limit = false;
  std::string max_name_width;
  TorchTableOptions grouping;
  bool top_level_only = false;

  bool is_chosen() const { return table == "torch"; }
  /// Declares the options on `stats`, bound to this object, which must outlive the parsing. Also
  /// `--explain`, which prints and ends the parsing (CLI::Success), and a check that --sort-by fits
  /// the table: a usage error if not.
  void add_to(CLI::App& stats);
};

/// Checks the value of --sort-by: empty when `text` sorts one of the tables, else what is wrong.
std::string check_any_sort_key(const std::string& text);

/// Writes the table. `sort_key` as torch's sort_by, empty for the order of first appearance.
/// Errors: those of reading shapes, stacks and memory back from the file.
Result<void> print_torch_stats(const Trace& trace, const TorchStatsOptions& options, std::string_view sort_key,
                               StatsFormat format, Output& out);

/// The same table for Arrow, with the options that choose rows.
Result<QueryRows> torch_stats_rows(const Trace& trace, const TorchStatsOptions& options, std::string_view sort_key);

/// The description of the table and of its JSON and CSV keys, for --help.
std::string_view torch_stats_help();

}  // namespace lacuna
