#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/ids.h"
#include "model/base/time.h"

namespace lacuna {

/// The cause of an idle time of a GPU stream or a whole GPU. For the conditions: gap_rules.h.
enum class GapCause : std::uint8_t {
  kLaunchBound,       ///< the CPU issued the next activity after the previous one had ended
  kSynchronisation,   ///< … because it had waited for the GPU instead of running ahead
  kDataLoading,       ///< … because it waited for its next batch
  kBlockingCopy,      ///< … because a copy call returned only when its copy had ended
  kFirstUse,          ///< … because code was loaded, compiled or tuned for its first use
  kAllocation,        ///< … because memory was allocated or freed through the driver
  kFullQueue,         ///< … because its launches waited for a place among the outstanding ones
  kNotScheduled,      ///< … because its thread did not run: preempted, waiting for a lock or for I/O
  kHostCallback,      ///< issued in time, behind a function that the stream calls on the CPU
  kDependency,        ///< issued in time, but it waited for another stream, or for room beside it
  kCommunication,     ///< likewise, and the other work moves data between GPUs or hosts
  kLateRank,          ///< likewise, and that had to wait for a rank that came later
  kInsideGraph,       ///< between two nodes of one graph launch
  kProfilerOverhead,  ///< the profiler was at work
  kKernelSpacing,     ///< issued in time; the usual distance between two queued activities
  kNotRecorded,       ///< the file demonstrably lacks the work, or the launches, of this time
  kOutsideSteps,      ///< not inside any step, where the trace has steps
  kUnknown,           ///< the trace does not tell; the last one
};
inline constexpr std::size_t kGapCauseCount = static_cast<std::size_t>(GapCause::kUnknown) + 1;

/// Returns the name of a cause, the same everywhere: "launch-bound"; as a JSON key "launch_bound".
std::string_view cause_name(GapCause cause);
std::string_view cause_key(GapCause cause);
/// Returns a definition in one sentence, for tooltips and --help.
std::string_view cause_definition(GapCause cause);
/// Returns all causes, in the order of the tables.
constexpr std::array<GapCause, kGapCauseCount> all_gap_causes() {
  std::array<GapCause, kGapCauseCount> all{};
  for (std::size_t i = 0; i < kGapCauseCount; ++i) all[i] = static_cast<GapCause>(i);
  return all;
}
/// Whether the CPU side is the cause, so that an operator can be charged.
constexpr bool is_cpu_caused(GapCause cause) {
  return cause == GapCause::kLaunchBound || cause == GapCause::kSynchronisation || cause == GapCause::kDataLoading ||
         cause == GapCause::kProfilerOverhead || cause == GapCause::kBlockingCopy || cause == GapCause::kFirstUse ||
         cause == GapCause::kAllocation || cause == GapCause::kFullQueue || cause == GapCause::kNotScheduled;
}

/// The diagnosis of one gap, with the facts behind it. What the CPU did meanwhile is computed on demand:
/// gap_evidence.h.
///
///     before ####|                                 |#### after
///            gap |<--- before_issue --->|<-in_queue>|
///     launch                        [===]
///            the launch had not been issued | it waited in the stream
struct GapDiagnosis {
  GapCause cause = GapCause::kUnknown;
  std::uint8_t rule = 0;        ///< index in gap_rules()
  bool late = false;            ///< the launch started after the gap did (HTA's "host wait")
  Nanos before_issue = 0;       ///< 0 if the launch is not in the file
  Nanos in_queue = 0;           ///< the rest of the gap
  TrackId thread;               ///< the CPU thread responsible; invalid without a launch
  SliceId sync_call;            ///< the synchronising call that delayed it most, if any
  Nanos sync_time = 0;          ///< how much earlier the launch could have come without such calls
  SliceId waited_for;           ///< the activity on another stream whose end released `after`
  Nanos code_loading = 0;       ///< part of before_issue in which CUDA loaded code (first calls)
  Nanos rank_wait = 0;          ///< part of the gap in which collectives of the GPU waited for ranks that came later
  std::int64_t late_rank = -1;  ///< the rank that it waited for most of that time; -1: none
  /// Part of the gap (of before_issue, if not 0) in the profiler's overhead; for work that the profiler delayed in
  /// its queue, part of the time since it was issued.
  Nanos profiler_time = 0;
  /// If the profiler delayed work: the idle time of the GPU that would remain without that, as the CPU took longer to
  /// launch the work than the GPU to do it; at most the gap.
  Nanos launching = 0;
  /// For the graph replay that contains or precedes the gap: nodes missing from the file, and all nodes of the graph.
  std::uint32_t missing_nodes = 0;
  std::uint32_t graph_nodes = 0;

  /// Calls `use` with the causes of the gap's time, and how much each has: what the CPU would have needed without the
  /// profiler is not the profiler's.
  template <class Use>
  void for_each_part(Nanos gap, Use&& use) const {
    use(cause, gap - launching);
    if (launching > 0) use(GapCause::kLaunchBound, launching);
  }
};

}  // namespace lacuna
