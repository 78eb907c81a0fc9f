#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "app/gui/core/document.h"

namespace lacuna {

/// Statistics and stream activity of a part of a document: a selected range, chosen tracks, or both.
struct RangeAnalysis {
  TimeSpan range;
  Statistics statistics;  ///< has percentiles once `part` is 1
  /// All streams with activity in the range: events, first_start and last_end (clipped to it), busy time. Has no
  /// gaps and no sum_duration.
  std::vector<StreamActivity> streams;
  double part = 1;  ///< fraction of the slices counted so far
};

/// `tracks`: count only the slices of these; empty = all. `progress` receives partial results
/// and may set `cancel`. Any thread; O(slices in range), on `threads`.
RangeAnalysis analyze_range(const Document& document, TimeSpan range, std::vector<TrackId> tracks, unsigned threads = 1,
                            const std::atomic<bool>* cancel = nullptr,
                            const std::function<void(RangeAnalysis)>& progress = {});

}  // namespace lacuna
