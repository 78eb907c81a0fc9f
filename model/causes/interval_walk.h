#pragma once

#include "model/causes/interval_set.h"

namespace lacuna {

/// covered() of spans that lie one after another: O(log of the intervals between them). Keeps a reference to the set.
class IntervalWalk {
 public:
  IntervalWalk(const IntervalSet& set, Nanos from);
  /// Length of the set from where the last call ended to `t`, which is not before that.
  Nanos to(Nanos t);

 private:
  const IntervalSet& set_;
  std::size_t next_ = 0;  // the first interval that begins at the end of the last call or later
  Nanos before_ = 0;      // length of the set up to there
};

}  // namespace lacuna
