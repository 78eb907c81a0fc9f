#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "model/base/sealed_tables.h"
#include "model/index/busy_index.h"
#include "model/index/fold_index.h"
#include "model/statistics/growing_percentiles.h"
#include "model/statistics/growing_statistics.h"
#include "model/steps/growing_steps.h"
#include "model/trace/trace.h"

namespace lacuna {

class GrowingCauses;
class GrowingLinks;
struct IdleTime;
class ResidentLimit;

/// State that successive documents of a recording share, so that work on sealed slices (Lane::sealed) is done once.
/// For one recording, whose traces must be given in their order. One thread at a time.
class DocumentUpkeep {
 public:
  /// `resident`: null for the usual one.
  explicit DocumentUpkeep(std::shared_ptr<ResidentLimit> resident = nullptr);
  ~DocumentUpkeep();
  DocumentUpkeep(const DocumentUpkeep&) = delete;
  DocumentUpkeep& operator=(const DocumentUpkeep&) = delete;

  /// Those of compute_statistics(), with percentiles while there are not too many slices to keep all their durations.
  Statistics statistics(const Trace& trace);
  /// The steps of find_steps().
  std::vector<Step> steps(const Trace& trace) { return steps_.update(trace); }
  /// Gaps and why they are there; `is_last`: of all of them, else of those for which it is known.
  std::shared_ptr<const IdleTime> idle(const Trace& trace, bool is_last);
  /// The busy index of each stream of `idle`, made for this trace.
  std::vector<StreamBusyIndex> busy(const Trace& trace, const IdleTime& idle);
  /// For TraceBuilder::finish() of the traces.
  GrowingLinks& links() { return *links_; }
  /// Bounds how much of the recording lies in memory. Shared with its documents.
  const std::shared_ptr<ResidentLimit>& resident() const { return resident_; }
  /// One index per lane. Each slice that is sealed is folded once.
  std::vector<FoldIndex> folds(const Trace& trace);

 private:
  using LaneKey = std::tuple<TrackId, std::uint32_t, std::uint32_t>;  // track, nest, depth
  struct OfLane {
    std::uint32_t generation = 0;  ///< Lane::generation
    FoldIndex::Parts parts;
  };
  void extend(const Lane& lane, OfLane& known);

  std::shared_ptr<ResidentLimit> resident_;
  GrowingStatistics statistics_;
  GrowingPercentiles percentiles_;
  GrowingSteps steps_;
  std::unique_ptr<GrowingLinks> links_;
  std::unique_ptr<GrowingCauses> causes_;
  SealedTables tables_;  // stores the levels of the parts
  std::map<LaneKey, OfLane> lanes_;
  std::map<std::tuple<SourceId, StringId, StringId>, StreamBusyIndex> busy_;  // key: source, device, stream
};

}  // namespace lacuna
