#pragma once

#include <array>
#include <vector>

#include "model/causes/cause_ranking.h"

namespace lacuna {

/// One GPU inside a range of time, with a cause for all of its idle time: the gaps between its activities, and the
/// edges, which are what it was idle before the first and after the last of them.
///
///     range     |<------------------------------>|
///     GPU          ####   ######     ####            gaps, edges included, cut to the range
///     gaps      |--|   |--|     |----|   |-------|   busy + their sum = the range
struct WindowGaps {
  CausedGaps gaps;  ///< window = the range; ascending by start; each judged by the part inside the range
  std::uint64_t activities = 0;
  /// The edges themselves, empty where there are none.
  std::array<TimeSpan, 2> edges{};
};

/// Each GPU of `source` that has any activity in the trace. An edge has the activity that comes next as `after`; where
/// none comes, Gap::after and launch are invalid, and its cause is what the launching thread did instead.
/// `kernels_only`: copies and sets count as idle. O(activities in the range + gaps log slices). Any thread.
std::vector<WindowGaps> diagnose_window(const CauseIndex& index, SourceId source, TimeSpan range,
                                        bool kernels_only = false);

}  // namespace lacuna
