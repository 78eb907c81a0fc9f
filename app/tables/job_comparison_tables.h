#pragma once

#include <string>
#include <vector>

#include "model/job/job_compare.h"

namespace lacuna {

/// A table of words and numbers as both the command line and the window show it.
struct JobTable {
  struct Column {
    std::string title;
    bool is_number = false;
    int drop_order = 0;  ///< where room is scarce the highest goes first; 0: never
  };
  std::string title;
  std::string none;  ///< a sentence in its place where it has no rows; empty: nothing
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Figures of both jobs, stragglers, and collectives by what changed most: what `lacuna job --compare` prints and the
/// Job page shows.
std::vector<JobTable> job_comparison_tables(const JobComparison& both);

}  // namespace lacuna
