#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/causes/gap_cause.h"

namespace lacuna {

// Thresholds of the rules. The table in gap_rules.cpp uses them.

/// Longest gap before an activity issued in time that counts as the usual spacing of queued
/// activities. The value of HTA's consecutive_kernel_delay (30, in its dataframe's microseconds). In the public
/// traces 99.9 % of such gaps on single-stream workloads last below 25.1 us (V100 to B200).
inline constexpr Nanos kKernelSpacingNs = 30'000;
/// Longest time from the issue of an activity to its start that counts as launch latency; beyond it,
/// the activity waited for something. Measured in the same traces: below 5.4 us on V100, H100 and B200, below
/// 18.2 us on MI300X, if no other stream was involved.
inline constexpr Nanos kLaunchLatencyNs = 30'000;
/// An activity of another stream counts as the one waited for if it ends at most this long before the
/// gap does: an event takes a few microseconds to release a stream (1 … 9 us on V100) …
inline constexpr Nanos kReleaseDelayNs = 20'000;
/// … or within this part (1/10) of the wait, for chains of events with nothing recorded between.
inline constexpr Nanos kReleaseShare = 10;
/// A kernel's first launch that takes at least this long loads code: launches take some microseconds (below 100 us
/// for 99.9 % of the launches in the public traces), first ones on MI300X and A100 up to 332 ms.
inline constexpr Nanos kLongFirstLaunchNs = 1'000'000;
/// Operators launch within some milliseconds; a process's first one takes this long only if it initialises CUDA.
inline constexpr Nanos kLongInitialisationNs = 50'000'000;
/// A copy call of pageable memory that takes at least this long first copies on the CPU: a copy call
/// that does not wait takes some microseconds.
inline constexpr Nanos kStagingCallNs = 50'000;
/// A file is thinned out if it has less than this part (1/20) of the calls that its correlations count: the
/// public traces have at least 1/7 of them, HTA's sampled ones 1/215.
inline constexpr std::uint64_t kThinnedShare = 20;

/// The input of the rules: lengths of time, all ≥ 0, without references to the trace, so that a
/// test can specify one.
struct GapFacts {
  Nanos gap = 0;
  bool has_launch = false;           ///< the launch of the activity that ends the gap is in the file
  bool late = false;                 ///< the launch started after the gap did
  Nanos before_launch = 0;           ///< by how much the activity seems to start before its launch, which is impossible
  bool inside_graph = false;         ///< the launch had started other activities before (a graph)
  bool of_graph = false;             ///< the launch started several activities
  bool lacks_nodes = false;          ///< … and the file lacks some of them (find_partial_replays)
  bool after_lacking_nodes = false;  ///< the activity follows a replay of a graph of which the file lacks nodes
  Nanos before_issue = 0;            ///< part of the gap before the activity was issued
  Nanos in_queue = 0;                ///< the other part: gap = before_issue + in_queue

  bool has_steps = false;        ///< the file has steps (find_step_marks)
  Nanos judged = 0;              ///< before_issue, or the whole gap if that is 0
  Nanos judged_in_steps = 0;     ///< the part of `judged` inside a step
  Nanos judged_in_profiler = 0;  ///< … under the profiler's own overhead
  Nanos queued = 0;              ///< from the activity's issue to its start, including the time before the gap
  Nanos queued_in_profiler = 0;  ///< the part of it under the profiler's own overhead

  // What the responsible CPU thread did during before_issue:
  Nanos data_loading = 0;
  Nanos host_communication = 0;
  Nanos synchronising = 0;  ///< inside synchronising calls
  /// Inside synchronising calls while a communication kernel ran on the GPU.
  Nanos sync_on_communication = 0;
  /// How much earlier the activity could have been issued without those calls: their time while the
  /// GPU was busy, including that before the gap; at most before_issue.
  Nanos sync_saves = 0;

  /// Inside copy calls while the GPU had nothing else to do, including the call before the gap: how much
  /// earlier the activity could have been issued if they had returned at once; at most before_issue.
  Nanos copy_saves = 0;

  /// Inside copy calls whose copy is the first on its stream in the file and started late: it waited for work that is
  /// not in the file.
  Nanos copying_after_unrecorded = 0;
  Nanos copying = 0;        ///< inside copy calls that last longer than their copies
  Nanos first_use = 0;      ///< inside code loading, compiling or tuning, and long first launches
  Nanos allocating = 0;     ///< inside calls that allocate or free memory through the driver
  Nanos full_queue = 0;     ///< while launches of a stream of the device waited for a free place
  Nanos not_scheduled = 0;  ///< off the CPU, if the thread's states were recorded

  bool behind_host_callback = false;  ///< just before it a call was issued that makes the stream call a host function
  bool lacks_work = false;            ///< calls issued just before it have no activity in the file
  bool is_first_on_stream = false;    ///< earlier work of its stream was before the recording and is not in the file
  bool lacks_cpu = false;             ///< the file has no launches at all

  /// Time in the queue in which it had to wait for an event of another stream (named by the file).
  Nanos event_wait = 0;
  bool event_of_communication = false;

  /// Time in which collectives of the GPU waited for ranks that came later (traces of several ranks).
  Nanos waiting_for_ranks = 0;

  bool has_release = false;  ///< an activity of another stream ended while it waited
  Nanos release_delay = 0;   ///< time from that end to the gap's end
  bool released_by_communication = false;
  bool was_crowded_out = false;  ///< a kernel of another stream ran during the whole wait and longer
};

/// One rule: if `holds` is true, the gap has this cause. `sentence` explains it to the user, with {names}
/// replaced by explain_gap (gap_evidence.h).
struct GapRule {
  GapCause cause;
  bool (*holds)(const GapFacts&);
  std::string_view sentence;
};

/// Returns the rules in the order in which they are tried; the last one always holds.
std::span<const GapRule> gap_rules();

/// Whether `part` is at least half of `whole`, and `whole` is not 0.
bool at_least_half(Nanos part, Nanos whole);

/// Whether the release is close enough to the gap's end to be its reason.
bool release_is_close(const GapFacts& facts);

/// Returns the index in gap_rules() of the first rule that holds.
std::uint8_t first_rule(const GapFacts& facts);

}  // namespace lacuna
