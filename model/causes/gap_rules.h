#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/causes/gap_cause.h"

namespace lacuna {

// Thresholds of the rules. Change one and the table in gap_rules.cpp follows.

/// Up to this, a gap before an activity that was issued in time is the usual spacing of queued
/// activities. HTA's consecutive_kernel_delay (30, in its dataframe's microseconds). On the public
/// traces 99.9 % of such gaps on single-stream workloads last below 25.1 us (V100 to B200).
inline constexpr Nanos kKernelSpacingNs = 30'000;
/// Up to this, the time between the issue of an activity and its start is launch latency; above it,
/// the activity waited for something. Measured likewise: below 5.4 us on V100, H100 and B200, below
/// 18.2 us on MI300X, wherever no other stream was involved.
inline constexpr Nanos kLaunchLatencyNs = 30'000;
/// An activity of another stream counts as what was waited for when it ends this long before the
/// gap does: an event takes a few microseconds to release a stream (1 … 9 us on V100) …
inline constexpr Nanos kReleaseDelayNs = 20'000;
/// … or within this part of the wait (1/10), for chains of events with nothing recorded between.
inline constexpr Nanos kReleaseShare = 10;
/// A kernel's first launch that takes at least this long loads its code: launches take some microseconds (below 100 us
/// for 99.9 % of the launches on the public traces), first ones of MI300X and A100 up to 332 ms.
inline constexpr Nanos kLongFirstLaunchNs = 1'000'000;
/// Operators launch within some milliseconds; the first one of a process takes longer only where it initialises CUDA.
inline constexpr Nanos kLongInitialisationNs = 50'000'000;
/// A call that takes at least this long for a copy of pageable memory copies it on the CPU first: the call of a copy
/// that does not wait takes some microseconds.
inline constexpr Nanos kStagingCallNs = 50'000;
/// A file with less than this part (1/20) of the calls that the correlations of its calls count was thinned out: the
/// public traces have 1/7 of them or more, HTA's sampled ones 1/215.
inline constexpr std::uint64_t kThinnedShare = 20;

/// What the rules look at: lengths of time, all ≥ 0, and nothing of the trace itself, so that a
/// test can write one down.
struct GapFacts {
  Nanos gap = 0;
  bool has_launch = false;           ///< the launch of the activity that ends the gap is in the file
  bool late = false;                 ///< it started after the gap did
  Nanos before_launch = 0;           ///< by how much the activity starts before its launch does, which cannot be
  bool inside_graph = false;         ///< the launch had started other activities before (a graph)
  bool of_graph = false;             ///< the launch started several activities
  bool lacks_nodes = false;          ///< … and the file lacks some of them (find_partial_replays)
  bool after_lacking_nodes = false;  ///< it follows a replay of a graph of which the file lacks nodes
  Nanos before_issue = 0;            ///< part of the gap before the activity was issued
  Nanos in_queue = 0;                ///< the other part: gap = before_issue + in_queue

  bool has_steps = false;        ///< the file has steps (find_step_marks)
  Nanos judged = 0;              ///< before_issue, or the gap where that is 0
  Nanos judged_in_steps = 0;     ///< the part of `judged` inside a step
  Nanos judged_in_profiler = 0;  ///< … under the profiler's own overhead
  Nanos queued = 0;              ///< from the activity's issue to its start, the part before the gap included
  Nanos queued_in_profiler = 0;  ///< the part of it under the profiler's own overhead

  // What the responsible CPU thread did in before_issue.
  Nanos data_loading = 0;
  Nanos host_communication = 0;
  Nanos synchronising = 0;  ///< inside synchronising calls
  /// Inside synchronising calls while a communication kernel ran on the GPU.
  Nanos sync_on_communication = 0;
  /// How much earlier the activity could have been issued without those calls: their time while the
  /// GPU was busy, the part before the gap included; at most before_issue.
  Nanos sync_saves = 0;

  /// Inside copy calls while the GPU had nothing else to do, the call of the copy before the gap included: how much
  /// earlier the activity could have been issued if they had returned at once; at most before_issue.
  Nanos copy_saves = 0;

  /// Inside copy calls whose copy is the first on its stream in the file and started late: it waited for work that the
  /// file does not have.
  Nanos copying_after_unrecorded = 0;
  Nanos copying = 0;        ///< inside copy calls that outlast their copies
  Nanos first_use = 0;      ///< inside the loading, compiling or tuning of code, and long first launches
  Nanos allocating = 0;     ///< inside calls that allocate or free memory through the driver
  Nanos full_queue = 0;     ///< while launches of a stream of the device were waiting for a place
  Nanos not_scheduled = 0;  ///< off the CPU, where the states of the thread were recorded

  bool behind_host_callback = false;  ///< a call that makes the stream call the host was issued just before it
  bool lacks_work = false;            ///< calls issued just before it have no activity in the file
  bool is_first_on_stream = false;    ///< what ran on its stream before the recording began is not in the file
  bool lacks_cpu = false;             ///< the file has no launches at all

  /// How long, in the queue, it had to wait for an event of another stream (the file names it).
  Nanos event_wait = 0;
  bool event_of_communication = false;

  /// While collectives of the GPU waited inside for ranks that came later (traces of several ranks).
  Nanos waiting_for_ranks = 0;

  bool has_release = false;  ///< an activity of another stream ended while it waited
  Nanos release_delay = 0;   ///< how long before the gap's end
  bool released_by_communication = false;
  bool was_crowded_out = false;  ///< a kernel of another stream ran all the while and longer
};

/// One rule: when `holds`, the gap has this cause. `sentence` says why to a person, with {names} to
/// be filled in by explain_gap (gap_evidence.h).
struct GapRule {
  GapCause cause;
  bool (*holds)(const GapFacts&);
  std::string_view sentence;
};

/// The rules in the order in which they apply; the last one always holds.
std::span<const GapRule> gap_rules();

/// `part` is half of `whole` or more, and `whole` is not 0.
bool at_least_half(Nanos part, Nanos whole);

/// The release is close enough to the gap's end to be its reason.
bool release_is_close(const GapFacts& facts);

/// Index in gap_rules() of the first rule that holds.
std::uint8_t first_rule(const GapFacts& facts);

}  // namespace lacuna
