#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"

namespace lacuna {

/// The value that colours the cells of the job's map.
enum class JobColumn : std::uint8_t { kLost, kWaited, kDelay, kLength };

/// A row of the map.
struct JobMapRow {
  static constexpr std::size_t kHeading = static_cast<std::size_t>(-1);
  std::size_t rank = kHeading;  ///< index in Job::ranks
  std::string heading;          ///< of the rows that follow: "tp 0 1 2 3", "host a"
};

/// The map of a job's ranks and steps. Built once, not in each frame: O(ranks * steps).
struct JobMap {
  std::vector<JobMapRow> rows;
  Nanos most = 1;  ///< the largest value of a cell
};

/// Returns the possible groupings of the rows: "host" if the traces name several, and the kinds of process groups that
/// partition the ranks ("tp", "dp" …).
std::vector<std::string> job_groupings(const Job& job);

/// Returns each rank once; those in no group last, under a heading of their own. No headings without a grouping.
std::vector<JobMapRow> job_map_rows(const Job& job, const std::string& grouping);

/// The order of the map's rows.
struct JobMapOrder {
  std::string grouping;      ///< one of job_groupings(); empty = none
  bool is_by_value = false;  ///< without a grouping: sort ranks by their sum over all steps, largest first
  JobColumn column = JobColumn::kLost;
  bool operator==(const JobMapOrder&) const = default;
};
JobMap job_map(const Job& job, const JobMapOrder& order);

/// Returns the value of a cell for `column`, in ns.
Nanos cell_value(const JobCell& cell, JobColumn column);

}  // namespace lacuna
