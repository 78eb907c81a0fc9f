#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"

namespace lacuna {

/// Key figures of a job that do not depend on how many steps or ranks were recorded.
struct JobFigures {
  std::size_t ranks = 0;
  std::size_t steps = 0;  ///< number of steps that at least one rank has
  Nanos step = 0;         ///< median over the steps of the longest rank's duration; 0: no step has a duration
  Nanos waited = 0;       ///< time waited inside collectives, per rank and step
  Nanos lost = 0;         ///< time that stragglers cost the others, per step
};

/// Collectives of one name in groups of one kind, in both jobs. Means are per rank's part in one collective.
struct CollectiveChange {
  struct Side {
    double per_step = 0;  ///< collectives in one step
    Nanos waited = 0;     ///< mean
    Nanos transfer = 0;   ///< mean of the shortest parts
    Nanos total = 0;      ///< time waited and transferred, per rank and step
  };
  std::string name;   ///< "allreduce"
  std::string group;  ///< "tp", the title of its groups without what tells them apart
  Side a, b;
};

/// A rank that delayed the others for one reason in at least one of the jobs.
struct StragglerChange {
  enum class Kind : std::uint8_t { kStays, kGone, kNew };
  std::int64_t rank = 0;
  LateCause cause = LateCause::kUnexplained;
  Nanos a = 0;  ///< lost time, per step of the whole job; 0: not in this job
  Nanos b = 0;
  Kind kind() const { return b == 0 ? Kind::kGone : a == 0 ? Kind::kNew : Kind::kStays; }
};

/// Comparison of two jobs: `b` against `a`.
struct JobComparison {
  JobFigures a, b;
  std::vector<CollectiveChange> collectives;  ///< largest change of the total first
  std::vector<StragglerChange> stragglers;    ///< largest change first
};

/// Compares by keys that both jobs share: names of collectives, kinds of groups, ranks and causes. The numbers of ranks
/// and steps may differ. O(collectives). Any thread.
JobComparison compare_jobs(const Job& a, const Job& b);

}  // namespace lacuna
