#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/causes/cause_ranking.h"
#include "model/causes/late_ranks.h"
#include "model/path/replay.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A change to try: one option of `lacuna what-if`.
struct WhatIfChange {
  enum class Kind : std::uint8_t {
    kNoCause,      ///< argument: a cause of gaps ("sync" for synchronisation): its part of each gap does not happen
    kNoGap,        ///< an operator: gaps before launches that were late because the CPU was in it shrink by that time
    kScale,        ///< a name: the durations of its slices are multiplied by `factor`
    kFuse,         ///< names, separated by commas: runs of these kernels become one: one launch, no spacing between
    kGraph,        ///< steps ("3..5") or empty: all launches of each step become one
    kOverlapComm,  ///< collectives overlap everything: nothing waits for them
    kRankEven,     ///< collectives take as long as on the last rank to enter
  };
  Kind kind = Kind::kNoCause;
  std::string argument;
  double factor = 1;
  bool operator==(const WhatIfChange&) const = default;
};

/// The predicted effect of a set of changes. All times are of the measured window (Replay): the steps with all work
/// that they launched, or the whole range without steps.
struct WhatIfAnswer {
  Nanos measured = 0;
  Nanos replayed = 0;   ///< without changes: shows how accurate the rest is
  Nanos predicted = 0;  ///< with the changes
  /// Busy time of the busiest stream with the changes: if that is most of `predicted`, the GPU's own work is the
  /// limit; else the CPU is.
  Nanos stream_busy = 0;
  std::size_t steps = 0;
  std::vector<std::string> assumptions;
};

/// One line of the ranking of the largest gains.
struct WhatIfGain {
  WhatIfChange change;
  Nanos predicted = 0;
  Nanos gain = 0;
};

/// Holds the replay of one source. Refers to the trace, which must outlive it. One thread at a time: the causes of
/// gaps are found on first use, and kept.
class WhatIf {
 public:
  /// Replays the measured steps inside `within`, or all of it if there are none.
  /// `late`: how the ranks of the trace waited for each other; null: not known. `causes`: of the trace with `late`,
  /// must outlive this; null: built when needed.
  WhatIf(const Trace& trace, SourceId source, TimeSpan within = TimeSpan::everything(), LateRanksPtr late = nullptr,
         const CauseIndex* causes = nullptr);
  /// `replay`: of that source.
  WhatIf(const Trace& trace, SourceId source, Replay replay, LateRanksPtr late, const CauseIndex* causes);

  /// Applies all changes at once. Errors: kInvalidArgument for a cause, name or range that does not exist, kUnsupported
  /// if a change needs other ranks.
  Result<WhatIfAnswer> ask(const std::vector<WhatIfChange>& changes) const;
  /// Applies each set of changes separately, `threads` of them at once.
  std::vector<Result<WhatIfAnswer>> ask_each(const std::vector<std::vector<WhatIfChange>>& questions,
                                             unsigned threads = 2) const;
  /// Ranks the removal of each cause of gaps, and the halving of the kernels and operators with the most time; the
  /// largest gain first. `threads`: number of simultaneous replays.
  std::vector<WhatIfGain> rank(unsigned threads = 2) const;

 private:
  Result<void> apply(const WhatIfChange& change, ReplayEdit& edit, std::vector<std::string>& assumptions) const;
  Result<void> remove_cause(const std::string& key, ReplayEdit& edit, std::vector<std::string>& assumptions) const;
  Result<void> remove_late_ranks(ReplayEdit& edit) const;
  Result<void> even_ranks(ReplayEdit& edit) const;
  void skip_time_of(GapCause cause, ReplayEdit& edit) const;
  void set_blocking_copies_aside(ReplayEdit& edit) const;
  void set_communication_aside(ReplayEdit& edit, std::vector<std::string>& assumptions) const;
  std::vector<IntervalSet> idle_for_other_reasons() const;

  /// Finds the gaps that these changes need, before several threads apply them.
  void find_gaps(std::span<const WhatIfChange> changes) const;
  const CauseIndex& causes() const;
  /// The gaps of the source's GPUs and of its streams, with their causes.
  const std::vector<CausedGaps>& device_gaps() const;
  const std::vector<CausedGaps>& stream_gaps() const;
  Nanos replayed() const;

  const Trace& trace_;
  SourceId source_;
  LateRanksPtr late_;
  const CauseIndex* causes_;
  Replay replay_;
  mutable std::optional<CauseIndex> own_causes_;
  mutable std::optional<std::vector<CausedGaps>> device_gaps_;
  mutable std::optional<std::vector<CausedGaps>> stream_gaps_;
  mutable std::optional<Nanos> replayed_;
};

/// Formats a change as typed: "--no-cause sync", "--scale gemm=0.5".
std::string what_if_text(const WhatIfChange& change);

}  // namespace lacuna
