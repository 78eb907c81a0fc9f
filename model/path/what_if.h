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
    kNoGap,        ///< an operator: the gaps before launches that came late while the CPU was in it shrink by that time
    kScale,        ///< a name: its slices take `factor` times as long
    kFuse,         ///< names, with commas: runs of such kernels become one: one launch, no spacing between
    kGraph,        ///< steps ("3..5") or empty: all launches of each step become one
    kOverlapComm,  ///< collectives run beside everything: nothing waits for them
    kRankEven,     ///< collectives take as long as on the rank that came last
  };
  Kind kind = Kind::kNoCause;
  std::string argument;
  double factor = 1;
};

/// What one set of changes would give. All times are of the measured window (Replay): the steps with all that they
/// launched, or the whole range without such.
struct WhatIfAnswer {
  Nanos measured = 0;
  Nanos replayed = 0;   ///< without a change: says how far to trust the rest
  Nanos predicted = 0;  ///< with it
  /// With it, how long the busiest stream works: where that is most of `predicted`, the GPU's own work is what holds
  /// it back; else the CPU is.
  Nanos stream_busy = 0;
  std::size_t steps = 0;
  std::vector<std::string> assumptions;
};

/// One line of "what would gain most".
struct WhatIfGain {
  WhatIfChange change;
  Nanos predicted = 0;
  Nanos gain = 0;
};

/// Holds the replay of one source. References to the trace, which must outlive it. One thread at a time: the causes of
/// gaps are found when they are first asked for, and kept.
class WhatIf {
 public:
  /// Replays the measured steps inside `within`, or all of it where there are none.
  /// `late`: what the ranks of the trace waited for each other; null: not known. `causes`: of the trace with `late`,
  /// and must outlive this; null: it is built when it is needed.
  WhatIf(const Trace& trace, SourceId source, TimeSpan within = TimeSpan::everything(), LateRanksPtr late = nullptr,
         const CauseIndex* causes = nullptr);
  /// `replay`: of that source.
  WhatIf(const Trace& trace, SourceId source, Replay replay, LateRanksPtr late, const CauseIndex* causes);

  /// All changes at once. kInvalidArgument for a cause, name or range that there is not, kUnsupported where the change
  /// needs other ranks.
  Result<WhatIfAnswer> ask(const std::vector<WhatIfChange>& changes) const;
  /// Each of these alone, `threads` of them at once.
  std::vector<Result<WhatIfAnswer>> ask_each(const std::vector<std::vector<WhatIfChange>>& questions,
                                             unsigned threads = 2) const;
  /// Each cause of gaps, and the kernels and operators with the most time halved; the most gained first. `threads`: as
  /// many replays at once.
  std::vector<WhatIfGain> rank(unsigned threads = 2) const;

 private:
  Result<void> apply(const WhatIfChange& change, ReplayEdit& edit, std::vector<std::string>& assumptions) const;
  Result<void> remove_cause(const std::string& key, ReplayEdit& edit, std::vector<std::string>& assumptions) const;
  Result<void> remove_late_ranks(ReplayEdit& edit) const;
  Result<void> even_ranks(ReplayEdit& edit) const;
  void set_blocking_copies_aside(ReplayEdit& edit) const;
  void set_communication_aside(ReplayEdit& edit, std::vector<std::string>& assumptions) const;
  std::vector<IntervalSet> idle_for_other_reasons() const;

  /// Finds the gaps that applying these needs, before several threads do.
  void find_gaps(std::span<const WhatIfChange> changes) const;
  const CauseIndex& causes() const;
  /// Gaps of the source's GPUs, those of its streams, with their causes.
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

/// "--no-cause sync", "--scale gemm=0.5": as it is typed.
std::string what_if_text(const WhatIfChange& change);

}  // namespace lacuna
