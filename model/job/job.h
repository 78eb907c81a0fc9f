#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/time.h"
#include "model/job/rank_facts.h"

namespace lacuna {

/// A group of ranks, as all their traces together say it.
struct JobGroup {
  std::string name;                 ///< "Process Group Name"; empty: none is said
  std::string description;          ///< "tp"
  std::string stream;               ///< where nothing names the group
  std::int64_t size = 0;            ///< 0: not known
  std::vector<std::int64_t> ranks;  ///< ascending; those whose traces speak of it where no list does

  /// "tp", else its name, else "stream 7".
  std::string title() const;
};

/// One rank's part in a matched collective.
struct JobPart {
  std::uint32_t rank = 0;        ///< index in Job::ranks
  std::uint32_t collective = 0;  ///< index in the rank's JobRank::collectives
  Nanos start = 0;               ///< on the corrected clock (Job::clocks)
  Nanos end = 0;
  Nanos wait = 0;  ///< from its start until the last one of the collective came
};

/// One collective (or a send and its receive) with the parts of all ranks that are there.
struct JobCollective {
  std::uint32_t group = 0;  ///< index in Job::groups
  std::uint32_t first = 0;  ///< in Job::parts
  std::uint32_t count = 0;
  std::uint32_t nth = 0;  ///< of its group in its step, from 0; a pair: of those from this sender to this receiver
  std::optional<std::int64_t> step;
  bool is_pair = false;           ///< a send and its receive
  bool is_synchronising = false;  ///< ends everywhere at the same time: says how clocks differ
  std::uint32_t last = 0;         ///< the part that came last, counted from `first`
  Nanos late = 0;                 ///< how much later than the one before it
  Nanos waited = 0;               ///< sum over its parts
  Nanos transfer = 0;             ///< shortest part: what remains without waiting
};

/// How a rank's clock differs from that of the reference rank.
struct JobClock {
  double offset_ns = 0;         ///< ahead of the reference, at Job::origin
  double drift_ppm = 0;         ///< grows by so much of the time that passes
  double residual_ns = 0;       ///< of the ends of its collectives: how far to trust it
  std::uint32_t samples = 0;    ///< collectives it was computed from; 0: nothing is known
  std::uint32_t component = 0;  ///< ranks of different ones never met, so that their clocks cannot be compared
};

enum class LateCause : std::uint8_t {
  kSlowerKernels,
  kMoreWork,
  kDataLoading,
  kLaunchBound,
  kIdleGap,
  kPreempted,
  kWaited,  ///< slept, or waited for files, the network, a process
  kLowerClock,
  kUnexplained,
};
/// "slower kernels", "data loading" …
std::string_view late_cause_name(LateCause cause);

/// A place that proves what is said of a straggler.
struct JobPlace {
  std::string what;
  std::int64_t rank = -1;
  std::optional<std::int64_t> step;
  Nanos start = 0;  ///< by the rank's own clock, in the times of its file
  Nanos duration = 0;
};

/// A rank that made others wait, for one reason.
struct Straggler {
  std::uint32_t rank = 0;  ///< index in Job::ranks
  LateCause cause = LateCause::kUnexplained;
  std::vector<std::uint32_t> steps;  ///< indices in Job::steps, ascending
  Nanos lost = 0;                    ///< time that other ranks waited for it, summed over them
  Nanos delay = 0;                   ///< how late it made the collectives, each moment counted once
  std::string sentence;              ///< begins with the name of the cause
  std::vector<JobPlace> evidence;
};

/// What a rank and step lost: a cell of the map.
struct JobCell {
  Nanos waited = 0;  ///< in collectives, for ranks that came later
  Nanos lost = 0;    ///< what others waited because of it, inherited lateness charged to its root
  Nanos delay = 0;   ///< its own lateness behind `lost`, each moment counted once
  Nanos excess = 0;  ///< own work beyond what is usual at its place
  Nanos length = 0;  ///< of the step; 0: the rank has no such step
};

/// A rank that is not as the others, or a file that is none.
struct JobProblem {
  enum class Kind : std::uint8_t {
    kUnreadable,
    kCutOff,
    kOtherJob,
    kOtherSteps,
    kDuplicate,
    kUnmatched,
    kMissing,
    kNote
  };
  Kind kind = Kind::kNote;
  std::int64_t rank = -1;  ///< -1: not about one rank
  std::string file;
  std::string text;
};
std::string_view problem_key(JobProblem::Kind kind);

/// A job's ranks brought together. Plain values; what it refers to (Job::ranks) it holds.
struct Job {
  std::vector<JobRank> ranks;  ///< those analysed, ascending by rank
  std::vector<JobGroup> groups;
  std::vector<std::optional<std::int64_t>> steps;  ///< numbers, ascending
  std::vector<JobCollective> collectives;          ///< ascending by their last start
  std::vector<JobPart> parts;
  std::vector<JobClock> clocks;       ///< by rank
  Nanos origin = 0;                   ///< when offsets hold, on the reference's clock
  std::vector<Nanos> waited;          ///< by rank
  std::vector<JobCell> cells;         ///< [rank * steps.size() + step]
  std::vector<Straggler> stragglers;  ///< most lost time first
  std::uint64_t unmatched = 0;        ///< parts of collectives for which no other rank's part was found
  std::vector<std::int64_t> missing;  ///< ranks that groups name and no file holds
  std::vector<JobProblem> problems;
  std::optional<std::int64_t> world_size;

  const CollectivePart& part_of(const JobPart& part) const { return ranks[part.rank].collectives[part.collective]; }
  const JobPart& last_of(const JobCollective& c) const { return parts[c.first + c.last]; }
  /// "allreduce", else the name of the kernel.
  const std::string& name_of(const JobCollective& c) const {
    const JobPart& part = parts[c.first];
    return ranks[part.rank].texts[part_of(part).name];
  }
  JobCell& cell(std::size_t rank, std::size_t step) { return cells[rank * steps.size() + step]; }
  const JobCell& cell(std::size_t rank, std::size_t step) const { return cells[rank * steps.size() + step]; }
};

/// The whole analysis. `ranks` in any order; `problems`: what their reading had to say. Broken and foreign ranks are
/// told in Job::problems, and the rest is analysed. O(n log n) of all collectives. Blocking, any thread.
Job analyse_job(std::vector<JobRank> ranks, std::vector<JobProblem> problems = {});

}  // namespace lacuna
