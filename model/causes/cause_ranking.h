#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/causes/cause_index.h"
#include "model/causes/cpu_timeline.h"
#include "model/causes/gap_cause.h"
#include "model/gaps/gaps.h"

namespace lacuna {

/// Gaps of one stream, or of one device (idle on all of its streams), with their causes.
/// `diagnoses[i]` belongs to `gaps[i]`; of a recording under way the last gaps may have none yet.
struct CausedGaps {
  SourceId source;
  StringId device = kEmptyString;
  StringId stream = kEmptyString;  ///< empty for a device
  bool is_device = false;
  Nanos window = 0;
  Nanos busy = 0;
  SharedVector<Gap> gaps;  ///< ascending by start
  SharedVector<GapDiagnosis> diagnoses;

  Nanos idle() const { return saturating_sub(window, busy); }
};

/// A verdict on each gap. O(gaps log slices).
CausedGaps add_causes(const CauseIndex& index, StreamActivity stream, unsigned threads = 1);
CausedGaps add_causes(const CauseIndex& index, DeviceActivity device, unsigned threads = 1);
/// Diagnoses the gaps of all streams, or of all devices. O(activities) beside the causes.
std::vector<CausedGaps> diagnose_streams(const CauseIndex& index, const GapOptions& options = {});
std::vector<CausedGaps> diagnose_devices(const CauseIndex& index, const GapOptions& options = {});

/// Names one gap: sets[set].gaps[gap].
struct GapPlace {
  std::uint32_t set = 0;
  std::uint32_t gap = 0;
  Nanos lost = 0;  ///< idle time of it that is meant: all of it, or what one operator cost
};

/// "0:7#12": the 13th gap of stream 7 of device 0; "0#12" of the device. The same in every run on
/// the same file with the same GapOptions.
std::string gap_label(const Trace& trace, const CausedGaps& set, std::uint32_t gap);
std::string gap_label(const Trace& trace, const StreamActivity& stream, std::uint32_t gap);

/// Longest first, then earliest; at most `limit` (0 = all).
std::vector<GapPlace> rank_gaps(std::span<const CausedGaps> sets, std::size_t limit = 0);

/// Idle time by cause. Each gap counts whole for its one cause, so that the rows add up to the idle
/// time; how much of it passed before the launch, and how much in the queue, stands beside it.
struct CauseTotal {
  GapCause cause = GapCause::kUnknown;
  Nanos lost = 0;
  std::uint64_t gaps = 0;
  Nanos before_issue = 0;
  Nanos in_queue = 0;
  GapPlace longest;
};
/// Causes that occur, most lost time first.
std::vector<CauseTotal> rank_causes(std::span<const CausedGaps> sets);

/// One synchronising call accounts for most of the waiting before this gap: it is charged alone. Where
/// several share it, each counts by its time.
bool is_one_synchronisation(const Trace& trace, const GapDiagnosis& diagnosis);

/// What one operator cost in idle GPU time.
struct OperatorCost {
  /// What `name` is: kCalledOperator mostly; kPython, kRuntime or kAnnotation where the CPU was in
  /// no operator; meaningless when `name` is empty: nothing was recorded.
  CpuLevel level = CpuLevel::kCalledOperator;
  StringId name = kEmptyString;
  Nanos lost = 0;
  Nanos in_synchronisation = 0;       ///< the part in gaps whose cause is a synchronisation
  StringId mostly_in = kEmptyString;  ///< the innermost operator with the most of it, if another
  Nanos mostly_in_time = 0;
  std::vector<GapPlace> places;  ///< one per gap, most lost time first
};

struct OperatorCosts {
  std::vector<OperatorCost> rows;  ///< most lost time first
  Nanos not_charged = 0;           ///< idle time with other causes, or without a launch
};

/// Charges the idle time that the CPU caused to what the CPU was doing:
///   synchronisation  the whole gap to the operator that made the synchronising call, if one call
///                    accounts for half of the waiting
///   launch-bound, data loading, profiler overhead, other synchronisations
///                    before the launch was issued: to the operators that ran, each by its time;
///                    from then on (launch latency): to the operator that issued the launch
/// An operator is the outermost one, as the program called it; where there is none, the innermost
/// Python frame, runtime call or annotation in its place.
/// The rows and not_charged add up to the idle time of `sets`.
/// O(slices of the threads + stretches inside the gaps); `threads` timelines at a time in memory.
OperatorCosts charge_operators(const Trace& trace, std::span<const CausedGaps> sets, unsigned threads = 2);

}  // namespace lacuna
