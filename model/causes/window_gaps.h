#pragma once

#include <array>
#include <vector>

#include "model/causes/cause_ranking.h"

namespace lacuna {

/// One GPU inside a time range, with a cause for all of its idle time: the gaps between its activities, and the
/// edges, which are its idle times before the first and after the last of them.
///
///     range     |<------------------------------>|
///     GPU          ####   ######     ####            gaps, edges included, cut to the range
///     gaps      |--|   |--|     |----|   |-------|   busy + their sum = the range
struct WindowGaps {
  CausedGaps gaps;  ///< window = the range; ascending by start; each diagnosed by its part inside the range
  std::uint64_t activities = 0;
  /// The edges, empty if there are none.
  std::array<TimeSpan, 2> edges{};
};

/// Diagnoses each GPU of `source` with any activity in the trace. An edge has the next activity as `after`; without
/// one, Gap::after and launch are invalid, and its cause is what the launching thread did instead.
/// `kernels_only`: copies and sets count as idle. O(activities in the range + gaps log slices). Any thread.
std::vector<WindowGaps> diagnose_window(const CauseIndex& index, SourceId source, TimeSpan range,
                                        bool kernels_only = false);

}  // namespace lacuna
