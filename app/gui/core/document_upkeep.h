#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "model/base/settled_tables.h"
#include "model/index/fold_index.h"
#include "model/statistics/growing_statistics.h"
#include "model/steps/growing_steps.h"
#include "model/trace/trace.h"

namespace lacuna {

class GrowingLinks;
class ResidentLimit;

/// What documents of a recording under way share: of slices that are settled (Lane::settled), answers are made once.
/// Of one recording, whose traces come in their order. One thread at a time.
class DocumentUpkeep {
 public:
  /// `resident`: null for the usual one.
  explicit DocumentUpkeep(std::shared_ptr<ResidentLimit> resident = nullptr);
  ~DocumentUpkeep();
  DocumentUpkeep(const DocumentUpkeep&) = delete;
  DocumentUpkeep& operator=(const DocumentUpkeep&) = delete;

  /// Those of compute_statistics(), with percentiles while there are not too many slices to look at all of them.
  Statistics statistics(const Trace& trace);
  /// Those of find_steps().
  std::vector<Step> steps(const Trace& trace) { return steps_.update(trace); }
  /// For TraceBuilder::finish() of the traces.
  GrowingLinks& links() { return *links_; }
  /// What of it lies in memory, and for how long. Its documents hold it, too.
  const std::shared_ptr<ResidentLimit>& resident() const { return resident_; }
  /// One index per lane. Each slice that is settled is folded once.
  std::vector<FoldIndex> folds(const Trace& trace);

 private:
  using LaneKey = std::tuple<TrackId, std::uint32_t, std::uint32_t>;  // track, nest, depth
  struct OfLane {
    std::uint32_t attempt = 0;  ///< Lane::attempt
    FoldIndex::Parts parts;
  };
  void extend(const Lane& lane, OfLane& known);

  std::shared_ptr<ResidentLimit> resident_;
  GrowingStatistics statistics_;
  GrowingSteps steps_;
  std::unique_ptr<GrowingLinks> links_;
  SettledTables tables_;  // where the parts' levels lie
  std::map<LaneKey, OfLane> lanes_;
};

}  // namespace lacuna
