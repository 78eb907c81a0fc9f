#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/output.h"
#include "model/statistics/statistics.h"

namespace lacuna {

class QueryRows;

enum class StatsFormat { kText, kJson, kCsv };

/// `lacuna stats`
struct StatsOptions {
  StatsFormat format = StatsFormat::kText;
  StatisticsColumn sort_by = StatisticsColumn::kShare;
  std::size_t limit = 0;    ///< rows; 0 = all
  std::size_t width = 120;  ///< columns of text
  /// Text only: one line below the table in place of a row for each ProfilerStep, which would fill its top.
  bool steps_in_a_line = false;
};

/// Keys of --sort-by. Numbers sort descending, texts ascending.
const std::vector<std::pair<std::string, StatisticsColumn>>& stats_sort_keys();

bool is_stats_sort_key(std::string_view key);

/// Writes the statistics table of the whole trace.
void print_stats(const Trace& trace, const StatsOptions& options, Output& out);
/// The same table for Arrow: all rows, by share.
QueryRows stats_rows(const Trace& trace);

/// What the columns and the JSON keys mean, for --help.
std::string_view stats_help();

}  // namespace lacuna
