#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"

namespace lacuna {

/// The time of a rank inside a collective that another rank had not entered yet.
struct LateWait {
  SliceId collective;      ///< the waiting rank's kernel
  TimeSpan span;           ///< from the kernel's start until the last rank came, at most until its end
  std::int64_t rank = -1;  ///< the rank that came last
};

/// The times that the ranks of a trace waited for each other. Computed by job/late_waits.h, a layer above the causes.
/// Plain values, in the trace's time.
struct LateRanks {
  std::vector<LateWait> waits;  ///< ascending by `collective`, without duplicates

  /// Returns how long this kernel waited for a late rank; 0 for any other slice.
  Nanos waited(SliceId slice) const {
    const auto found = std::ranges::lower_bound(waits, slice, {}, &LateWait::collective);
    return found != waits.end() && found->collective == slice ? found->span.duration() : 0;
  }
};
using LateRanksPtr = std::shared_ptr<const LateRanks>;

}  // namespace lacuna
