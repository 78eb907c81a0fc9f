#include "app/gui/range_analysis.h"

#include <utility>

namespace lacuna {

RangeAnalysis analyze_range(const Document& document, TimeSpan range, std::vector<TrackId> tracks) {
  RangeAnalysis analysis;
  analysis.range = range;
  StatisticsOptions statistics;
  statistics.range = range;
  statistics.tracks = std::move(tracks);
  analysis.statistics = compute_statistics(document.trace, statistics);
  GapOptions gaps;
  gaps.range = range;
  analysis.streams = analyze_streams(document.trace, gaps);
  return analysis;
}

}  // namespace lacuna
