#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"

namespace lacuna {

/// A rank inside a collective that another rank had not entered yet.
struct LateWait {
  SliceId collective;      ///< the kernel of the rank that waited
  TimeSpan span;           ///< from its start until the last rank came, at most until its end
  std::int64_t rank = -1;  ///< who came last
};

/// What the ranks of a trace waited for each other. Found by job/late_waits.h, which lies above the causes of gaps.
/// Plain values, in the times of the trace.
struct LateRanks {
  std::vector<LateWait> waits;  ///< ascending by `collective`, each once

  /// How much of this kernel was waiting for a late rank; 0 for any other slice.
  Nanos waited(SliceId slice) const {
    const auto found = std::ranges::lower_bound(waits, slice, {}, &LateWait::collective);
    return found != waits.end() && found->collective == slice ? found->span.duration() : 0;
  }
};
using LateRanksPtr = std::shared_ptr<const LateRanks>;

}  // namespace lacuna
