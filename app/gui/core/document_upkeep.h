#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/index/fold_index.h"
#include "model/statistics/growing_statistics.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What documents of a recording under way share: of slices that are settled (Lane::settled), answers are made once.
/// Of one recording, whose traces come in their order. One thread at a time.
class DocumentUpkeep {
 public:
  /// Those of compute_statistics(), with percentiles while there are not too many slices to look at all of them.
  Statistics statistics(const Trace& trace);
  /// One index per lane. Each slice is folded again a few times, as parts get larger.
  std::vector<FoldIndex> folds(const Trace& trace);

 private:
  using LaneKey = std::tuple<TrackId, std::uint32_t, std::uint32_t>;  // track, nest, depth
  static void extend(const Lane& lane, FoldIndex::Parts& parts);

  GrowingStatistics statistics_;
  std::map<LaneKey, FoldIndex::Parts> parts_;
};

}  // namespace lacuna
