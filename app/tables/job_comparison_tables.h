#pragma once

#include <string>
#include <vector>

#include "model/job/job_compare.h"

namespace lacuna {

/// A table of texts and numbers, for the command line and the window.
struct JobTable {
  struct Column {
    std::string title;
    bool is_number = false;
    int drop_order = 0;  ///< if width is scarce, the highest is dropped first; 0: never
  };
  std::string title;
  std::string none;  ///< sentence to show if it has no rows; empty: none
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Returns the tables of figures of both jobs, stragglers, and collectives by largest change: the output of
/// `lacuna job --compare` and the Job page.
std::vector<JobTable> job_comparison_tables(const JobComparison& both);

}  // namespace lacuna
