#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"

namespace lacuna {

/// A job in a few numbers that do not depend on how many steps or ranks were recorded.
struct JobFigures {
  std::size_t ranks = 0;
  std::size_t steps = 0;  ///< that at least one rank has
  Nanos step = 0;         ///< median over the steps of the longest rank's; 0: no step has a length
  Nanos waited = 0;       ///< inside collectives, by rank and step
  Nanos lost = 0;         ///< what stragglers cost the others, by step
};

/// Collectives of one name in groups of one kind, in both jobs. Means are of one rank's part in one collective.
struct CollectiveChange {
  struct Side {
    double per_step = 0;  ///< collectives in one step
    Nanos waited = 0;     ///< mean
    Nanos transfer = 0;   ///< mean of the shortest parts
    Nanos total = 0;      ///< waited and transferred by rank and step
  };
  std::string name;   ///< "allreduce"
  std::string group;  ///< "tp", the title of its groups without what tells them apart
  Side a, b;
};

/// A rank that made the others wait for one reason in at least one of the jobs.
struct StragglerChange {
  enum class Kind : std::uint8_t { kStays, kGone, kNew };
  std::int64_t rank = 0;
  LateCause cause = LateCause::kUnexplained;
  Nanos a = 0;  ///< lost time, by step of the whole job; 0: not in this one
  Nanos b = 0;
  Kind kind() const { return b == 0 ? Kind::kGone : a == 0 ? Kind::kNew : Kind::kStays; }
};

/// Two jobs side by side: `b` against `a`.
struct JobComparison {
  JobFigures a, b;
  std::vector<CollectiveChange> collectives;  ///< largest change of the total first
  std::vector<StragglerChange> stragglers;    ///< largest change first
};

/// Compares by what both jobs call the same: names of collectives, kinds of groups, ranks and causes. Numbers of ranks
/// and steps may differ. O(collectives). Any thread.
JobComparison compare_jobs(const Job& a, const Job& b);

}  // namespace lacuna
