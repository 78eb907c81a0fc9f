#pragma once

#include <vector>

#include "app/gui/document.h"

namespace lacuna {

/// What the panels show of a part of a document: a selected range, chosen tracks, or both.
struct RangeAnalysis {
  TimeSpan range;
  Statistics statistics;
  std::vector<StreamActivity> streams;  ///< of all streams, clipped to the range
};

/// `tracks`: those whose slices the statistics count; empty = all. Any thread; O(slices in range).
RangeAnalysis analyze_range(const Document& document, TimeSpan range, std::vector<TrackId> tracks);

}  // namespace lacuna
