#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/time.h"
#include "model/job/rank_facts.h"

namespace lacuna {

/// A group of ranks, merged from the traces of all of them.
struct JobGroup {
  std::string name;                 ///< "Process Group Name"; empty: none is said
  std::string description;          ///< "tp"
  std::string stream;               ///< set if nothing names the group
  std::int64_t size = 0;            ///< 0: not known
  std::vector<std::int64_t> ranks;  ///< ascending; if no list names them, the ranks whose traces mention the group

  /// Returns the description ("tp"), else the name, else "stream 7".
  std::string title() const;
};

/// One rank's part in a matched collective.
struct JobPart {
  std::uint32_t rank = 0;        ///< index in Job::ranks
  std::uint32_t collective = 0;  ///< index in the rank's JobRank::collectives
  Nanos start = 0;               ///< on the corrected clock (Job::clocks)
  Nanos end = 0;
  Nanos wait = 0;  ///< from its start until the last rank entered the collective
};

/// One collective (or a send and its receive) with the parts of all ranks that were matched.
struct JobCollective {
  std::uint32_t group = 0;  ///< index in Job::groups
  std::uint32_t first = 0;  ///< in Job::parts
  std::uint32_t count = 0;
  std::uint32_t nth = 0;  ///< index in its group and step, from 0; a pair: among those of this sender and receiver
  std::optional<std::int64_t> step;
  bool is_pair = false;           ///< a send and its receive
  bool is_synchronising = false;  ///< ends at the same time on all ranks: shows how clocks differ
  std::uint32_t last = 0;         ///< index of the part that started last, relative to `first`
  Nanos late = 0;                 ///< delay of the last part after the one before it
  Nanos waited = 0;               ///< sum of its parts' waits
  Nanos transfer = 0;             ///< duration of the shortest part: what remains without waiting
};

/// The offset and drift of a rank's clock relative to the reference rank's.
struct JobClock {
  double offset_ns = 0;         ///< ahead of the reference, at Job::origin
  double drift_ppm = 0;         ///< parts per million by which the offset grows with time
  double residual_ns = 0;       ///< residual of the ends of its collectives: a measure of accuracy
  std::uint32_t samples = 0;    ///< number of collectives it was computed from; 0: not known
  std::uint32_t component = 0;  ///< clocks are comparable within a component only: no collective connects two

  /// How far ahead it is (ns) where it shows `time` (ns since Job::origin).
  double error_at(double time) const {
    return offset_ns + drift_ppm / (1e6 + drift_ppm) * (time - offset_ns);  // what drifts is the clock that shows it
  }
};

enum class LateCause : std::uint8_t {
  kSlowerKernels,
  kMoreWork,
  kDataLoading,
  kLaunchBound,
  kIdleGap,
  kPreempted,
  kWaited,  ///< the CPU slept, or waited for files, the network, a process
  kLowerClock,
  kUnexplained,
};
/// The name of a cause: "slower kernels", "data loading" …
std::string_view late_cause_name(LateCause cause);

/// A place in a trace that proves a statement about a straggler.
struct JobPlace {
  std::string what;
  std::int64_t rank = -1;
  std::optional<std::int64_t> step;
  Nanos start = 0;  ///< on the rank's own clock, in the times of its file
  Nanos duration = 0;
};

/// A rank that delayed others, for one reason.
struct Straggler {
  std::uint32_t rank = 0;  ///< index in Job::ranks
  LateCause cause = LateCause::kUnexplained;
  std::vector<std::uint32_t> steps;  ///< indices in Job::steps, ascending
  Nanos lost = 0;                    ///< time that other ranks waited for it, summed over them
  Nanos delay = 0;                   ///< how much it delayed the collectives, each moment counted once
  std::string sentence;              ///< begins with the name of the cause
  std::vector<JobPlace> evidence;
};

/// Waiting and lateness of a rank in a step: a cell of the map.
struct JobCell {
  Nanos waited = 0;  ///< time in collectives waiting for later ranks
  Nanos lost = 0;    ///< time that others waited because of it, inherited lateness charged to its root
  Nanos delay = 0;   ///< its own lateness that caused `lost`, each moment counted once
  Nanos excess = 0;  ///< its own work beyond the usual in the same place
  Nanos length = 0;  ///< of the step; 0: the rank has no such step
};

/// A rank that does not fit the others, or a file that is not usable.
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
  std::int64_t rank = -1;  ///< -1: not about a single rank
  std::string file;
  std::string text;
};
std::string_view problem_key(JobProblem::Kind kind);

/// The analysed ranks of a job. Plain values; it owns all that it refers to (Job::ranks).
struct Job {
  std::vector<JobRank> ranks;  ///< the analysed ranks, ascending by rank number
  std::vector<JobGroup> groups;
  std::vector<std::optional<std::int64_t>> steps;  ///< step numbers, ascending
  std::vector<JobCollective> collectives;          ///< ascending by their last start
  std::vector<JobPart> parts;
  std::vector<JobClock> clocks;       ///< by index in `ranks`
  Nanos origin = 0;                   ///< time at which offsets hold, on the reference's clock
  std::vector<Nanos> waited;          ///< by index in `ranks`
  std::vector<JobCell> cells;         ///< [rank * steps.size() + step]
  std::vector<Straggler> stragglers;  ///< most lost time first
  std::uint64_t unmatched = 0;        ///< parts of collectives without a matching part on another rank
  std::vector<std::int64_t> missing;  ///< ranks that groups name but no file holds
  std::vector<JobProblem> problems;
  std::optional<std::int64_t> world_size;

  const CollectivePart& part_of(const JobPart& part) const { return ranks[part.rank].collectives[part.collective]; }
  const JobPart& last_of(const JobCollective& c) const { return parts[c.first + c.last]; }
  /// Returns the collective's name, such as "allreduce", else the kernel's name.
  const std::string& name_of(const JobCollective& c) const {
    const JobPart& part = parts[c.first];
    return ranks[part.rank].texts[part_of(part).name];
  }
  JobCell& cell(std::size_t rank, std::size_t step) { return cells[rank * steps.size() + step]; }
  const JobCell& cell(std::size_t rank, std::size_t step) const { return cells[rank * steps.size() + step]; }
};

/// Analyses a job. `ranks` in any order; `problems`: those found while reading them. Broken and foreign ranks are
/// reported in Job::problems, and the rest is analysed. O(n log n) in the number of collectives. Blocking, any thread.
Job analyse_job(std::vector<JobRank> ranks, std::vector<JobProblem> problems = {});

}  // namespace lacuna
