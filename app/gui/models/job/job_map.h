#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"

namespace lacuna {

/// What a cell of the job's map is coloured by.
enum class JobColumn : std::uint8_t { kLost, kWaited, kDelay, kLength };

/// A row of the map.
struct JobMapRow {
  static constexpr std::size_t kHeading = static_cast<std::size_t>(-1);
  std::size_t rank = kHeading;  ///< index in Job::ranks
  std::string heading;          ///< of the rows that follow: "tp 0 1 2 3", "host a"
};

/// What the map of ranks and steps shows of a job. Made once, not in each frame: O(ranks * steps).
struct JobMap {
  std::vector<JobMapRow> rows;
  Nanos most = 1;  ///< the largest value of a cell
};

/// What the rows can be grouped by: "host" where traces name several, and the kinds of groups that part the ranks
/// ("tp", "dp" …).
std::vector<std::string> job_groupings(const Job& job);

/// Each rank once; those of no group last, under a heading that says so. Without a grouping there are no headings.
std::vector<JobMapRow> job_map_rows(const Job& job, const std::string& grouping);

/// How the rows of the map lie.
struct JobMapOrder {
  std::string grouping;      ///< one of job_groupings(); empty: none
  bool is_by_value = false;  ///< without a grouping: the rank with the largest sum over its steps first
  JobColumn column = JobColumn::kLost;
  bool operator==(const JobMapOrder&) const = default;
};
JobMap job_map(const Job& job, const JobMapOrder& order);

/// The value of a cell by `column`, ns.
Nanos cell_value(const JobCell& cell, JobColumn column);

}  // namespace lacuna
