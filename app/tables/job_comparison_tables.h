#pragma once

#include <string>
#include <vector>

#include "app/tables/table.h"
#include "model/job/job_compare.h"

namespace lacuna {

/// A table of a comparison, for the command line and the window.
struct JobTable : Table {
  std::string title;
  std::string none;  ///< sentence to show if it has no rows; empty: none
};

/// Returns what changed in the stragglers. `both` must outlive it, as all these tables.
JobTable straggler_table(const JobComparison& both);

/// Returns the tables of figures of both jobs, stragglers, and collectives by largest change: the output of
/// `lacuna job --compare` and the Job page.
std::vector<JobTable> job_comparison_tables(const JobComparison& both);

}  // namespace lacuna
