#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/time.h"
#include "model/causes/gap_cause.h"

namespace lacuna {

/// RankGroup::stream of collectives on CPUs that name no group: any worker of a pool may take the next one, so
/// their threads carry no information.
inline constexpr std::string_view kProcessorsStream = "CPU";

/// A group of ranks as named in one rank's trace.
struct RankGroup {
  std::string name;                 ///< "Process Group Name"; empty: nothing is said
  std::string description;          ///< "tp"
  std::int64_t size = 0;            ///< 0: not known
  std::vector<std::int64_t> ranks;  ///< ascending; empty if the trace does not list all of them
  std::string stream;               ///< if groups have no names: the stream of the kernels, or kProcessorsStream
};

/// One rank's part in one collective, or in one half of a send/receive pair.
struct CollectivePart {
  Nanos start = 0;
  Nanos end = 0;
  /// Time from this rank's last release by a collective (`released_by`, else the start of its record) to
  /// `start`: its own work.
  Nanos own_work = 0;
  std::int32_t released_by = -1;  ///< index in JobRank::collectives
  std::int32_t step = -1;         ///< index in JobRank::steps
  std::uint32_t name = 0;         ///< of JobRank::texts: "Collective name", else the kernel's
  std::uint32_t kernel = 0;       ///< index in texts
  std::uint32_t dtype = 0;        ///< index in texts; 0 (empty): not recorded
  std::uint32_t group = 0;        ///< index in JobRank::groups
  std::int32_t peer = -1;         ///< send: the destination, receive: the source; -1: a collective
  bool is_send = false;
  std::int64_t in_elements = -1;   ///< -1: not recorded
  std::int64_t out_elements = -1;  ///< -1: not recorded
  std::int64_t sequence = -1;      ///< "Seq"
  std::uint64_t comms_id = 0;      ///< hash of "Comms Id"; 0: not said
};

/// The launches of one kernel of one shape in one step.
struct KernelUse {
  std::uint32_t name = 0;   ///< index in texts
  std::uint32_t shape = 0;  ///< of texts: "512x1x1 256x1x1" (grid, block); 0: not said
  std::int32_t step = -1;
  std::int64_t count = 0;
  Nanos total = 0;  ///< sum of durations
  Nanos longest_start = 0;
  Nanos longest = 0;
};

/// Idle time of one cause in one step: nothing ran on the rank's GPUs.
struct IdleUse {
  Nanos total = 0;
  Nanos longest_start = 0;
  Nanos longest = 0;
  std::uint32_t what = 0;  ///< index in texts: the operator or call that the CPU spent most of the longest gap in
};

/// A step with the GPU work that it issued.
struct RankStep {
  std::optional<std::int64_t> number;  ///< N of ProfilerStep#N; nothing: the whole trace is one step
  Nanos start = 0;                     ///< MeasuredStep::paced.begin
  Nanos end = 0;                       ///< MeasuredStep::paced.end
  Nanos compute = 0;                   ///< union of its non-communication kernels
  /// Time in which a thread that issues its work (the one with the steps, those that launch) was runnable but did not
  /// run, if thread states were recorded; and the longest such stretch.
  Nanos preempted = 0;
  Nanos longest_preempted_start = 0;
  Nanos longest_preempted = 0;
  /// Time in which such a thread slept or waited for files, the network, a process or a device (waits for other ranks
  /// are in locks and polls), with the longest stretch; and where in the program most of it was, by stack samples.
  Nanos waited = 0;
  Nanos longest_waited_start = 0;
  Nanos longest_waited = 0;
  std::uint32_t waited_in = 0;  ///< index in texts; 0: not sampled
  double clock_mhz = 0;         ///< mean of the SM clock counter; 0: not recorded
  /// The lowest clock in the step while the GPU was busy, when it dropped to that, and why; all 0: not recorded.
  double lowest_clock_mhz = 0;
  Nanos lowest_clock_start = 0;
  std::uint32_t clock_reason = 0;  ///< of texts: "power cap", as the driver said meanwhile; 0: it said none
  std::array<IdleUse, kGapCauseCount> idle{};
};

/// One rank's contribution to the analysis of its job. Times are nanoseconds since 1970 if the file gives them, on the
/// rank's own clock. A plain value: a few bytes per collective, nothing of the trace itself.
struct JobRank {
  std::string file;
  std::int64_t rank = -1;        ///< -1: not known
  bool rank_is_guessed = false;  ///< from the file's name, or from its place among the files
  std::optional<std::int64_t> world_size;
  std::string host;
  std::uint32_t source = 0;  ///< SourceId in the trace that it was extracted from; not stored in a digest
  std::uint64_t slices = 0;
  std::uint64_t json_bytes = 0;
  Nanos epoch = 0;  ///< offset that was added to the file's times
  std::vector<std::string> texts{std::string()};
  std::vector<RankGroup> groups;
  std::vector<RankStep> steps;              ///< ascending by start
  std::vector<CollectivePart> collectives;  ///< ascending by start
  std::vector<KernelUse> kernels;
  std::vector<std::string> losses;  ///< what could not be read of the file, as text for users
};

}  // namespace lacuna
