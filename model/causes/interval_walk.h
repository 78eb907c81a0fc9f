#pragma once

#include "model/causes/interval_set.h"

namespace lacuna {

/// covered() for consecutive spans: O(log of the intervals between them). Refers to the set.
class IntervalWalk {
 public:
  IntervalWalk(const IntervalSet& set, Nanos from);
  /// Returns the length of the set from the end of the last call to `t`, which must not be earlier.
  Nanos to(Nanos t);

 private:
  const IntervalSet& set_;
  std::size_t next_ = 0;  // the first interval that begins at or after the end of the last call
  Nanos before_ = 0;      // length of the set up to that time
};

}  // namespace lacuna
