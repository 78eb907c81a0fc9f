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
/// `diagnoses[i]` belongs to `gaps[i]`; in a running recording the last gaps may have none yet.
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

/// Diagnoses each gap of the stream. O(gaps log slices).
CausedGaps add_causes(const CauseIndex& index, StreamActivity stream, unsigned threads = 1);
CausedGaps add_causes(const CauseIndex& index, DeviceActivity device, unsigned threads = 1);
/// Diagnoses the gaps of all streams, or of all devices. O(activities) in addition to the causes.
std::vector<CausedGaps> diagnose_streams(const CauseIndex& index, const GapOptions& options = {});
std::vector<CausedGaps> diagnose_devices(const CauseIndex& index, const GapOptions& options = {});

/// Identifies one gap: sets[set].gaps[gap].
struct GapPlace {
  std::uint32_t set = 0;
  std::uint32_t gap = 0;
  Nanos lost = 0;  ///< the idle time in question: the whole gap, or the part that one operator cost
};

/// Returns "0:7#12" for the 13th gap of stream 7 of device 0; "0#12" for a gap of the device. The same in every run on
/// the same file with the same GapOptions.
std::string gap_label(const Trace& trace, const CausedGaps& set, std::uint32_t gap);
std::string gap_label(const Trace& trace, const StreamActivity& stream, std::uint32_t gap);

/// Idle time by cause. Each gap counts in full for its cause, but for what GapDiagnosis::for_each_part() splits off, so
/// that the rows add up to the idle time; they also show how much of it was before the launch, and how much in the
/// queue.
struct CauseTotal {
  GapCause cause = GapCause::kUnknown;
  Nanos lost = 0;
  std::uint64_t gaps = 0;
  Nanos before_issue = 0;
  Nanos in_queue = 0;
  GapPlace longest;
};
/// Returns the causes that occur, most lost time first.
std::vector<CauseTotal> rank_causes(std::span<const CausedGaps> sets);

/// Whether one synchronising call accounts for most of the waiting before this gap: then only that call is charged. If
/// several share the waiting, each is charged for its own time.
bool is_one_synchronisation(const Trace& trace, const GapDiagnosis& diagnosis);

/// The idle GPU time that one operator cost.
struct OperatorCost {
  /// The kind of `name`: mostly kCalledOperator; kPython, kRuntime or kAnnotation if the CPU was in
  /// no operator; meaningless if `name` is empty: nothing was recorded.
  CpuLevel level = CpuLevel::kCalledOperator;
  StringId name = kEmptyString;
  Nanos lost = 0;
  Nanos in_synchronisation = 0;       ///< the part in gaps whose cause is a synchronisation
  StringId mostly_in = kEmptyString;  ///< the innermost operator with the largest part of it, if that is another one
  Nanos mostly_in_time = 0;
  std::vector<GapPlace> places;  ///< one per gap, most lost time first
};

struct OperatorCosts {
  std::vector<OperatorCost> rows;  ///< most lost time first
  Nanos not_charged = 0;           ///< idle time with other causes, or without a launch
};

/// Returns "aten::item", "(python) train.py(12): step", "(nothing recorded)".
std::string blamed_name(const Trace& trace, CpuLevel level, StringId name);

/// Charges idle time caused by the CPU to what the CPU was doing:
///   synchronisation  the whole gap to the operator that made the synchronising call, if one call
///                    accounts for half of the waiting
///   launch-bound, data loading, profiler overhead, other synchronisations
///                    before the launch was issued: to the operators that ran, each by its time;
///                    from then on (launch latency): to the operator that issued the launch
/// An operator is the outermost one, as the program called it; if there is none, the innermost
/// Python frame, runtime call or annotation takes its place.
/// The rows and not_charged add up to the idle time of `sets`.
/// O(slices of the threads + stretches inside the gaps); `threads` timelines at a time in memory.
OperatorCosts charge_operators(const Trace& trace, std::span<const CausedGaps> sets, unsigned threads = 2);

}  // namespace lacuna
