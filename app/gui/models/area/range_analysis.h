#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "app/gui/core/document.h"

namespace lacuna {

/// What the panels show of a part of a document: a selected range, chosen tracks, or both.
struct RangeAnalysis {
  TimeSpan range;
  Statistics statistics;  ///< with percentiles once `part` is 1
  /// All streams with activity in the range: events, first_start and last_end (clipped to it), busy. No
  /// gaps, and sum_duration is not filled in.
  std::vector<StreamActivity> streams;
  double part = 1;  ///< of the slices that is counted so far
};

/// `tracks`: those whose slices the statistics count; empty = all. `progress` gets what is known so far
/// and may set `cancel`. Any thread; O(slices in range), on `threads`.
RangeAnalysis analyze_range(const Document& document, TimeSpan range, std::vector<TrackId> tracks, unsigned threads = 1,
                            const std::atomic<bool>* cancel = nullptr,
                            const std::function<void(RangeAnalysis)>& progress = {});

}  // namespace lacuna
