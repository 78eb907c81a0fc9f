#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "app/gui/models/gaps/gap_list.h"
#include "app/gui/models/gaps/gap_rankings.h"
#include "model/causes/cause_ranking.h"
#include "model/causes/dead_windows.h"
#include "model/causes/gap_evidence.h"
#include "model/causes/launch_delay.h"

namespace lacuna {

/// The causes of a document's gaps, and the other findings of model/causes. Immutable; shared
/// by the UI thread and the workers.
struct CauseAnalysis {
  DocumentPtr document;
  /// For a recording, built from what its documents share (Document::idle): the last gaps have no verdict yet, and dead
  /// windows and queues are not searched for.
  bool is_growing = false;
  GapVerdicts by_stream;            ///< indexed like Document::streams and their gaps
  std::vector<CausedGaps> devices;  ///< idle time of whole GPUs, followed by the same GPUs within the measured time
  std::size_t measured_from = 0;    ///< index in `devices` of the measured ones; its size if that time is unknown
  std::vector<DeadWindowGroup> dead_windows;
  std::vector<QueueDepth> queues;
};
using CauseAnalysisPtr = std::shared_ptr<const CauseAnalysis>;

/// O(n log n) in the events. Any thread.
CauseAnalysisPtr analyze_causes(DocumentPtr document);

/// A gap of a stream or, if `is_device`, of a whole GPU.
struct GapKey {
  bool is_device = false;
  std::uint32_t set = GapRef::kNone;
  std::uint32_t gap = 0;

  GapKey() = default;
  explicit(false) GapKey(GapRef ref) : set(ref.stream), gap(ref.gap) {}
  explicit(false) GapKey(DeviceGapRef ref) : is_device(true), set(ref.device), gap(ref.gap) {}
  bool valid() const { return set != GapRef::kNone; }
  auto operator<=>(const GapKey&) const = default;
};

/// The evidence of one gap, and the verdict as a sentence.
struct GapStory {
  GapKey gap;
  GapEvidence evidence;
  std::string sentence;
};

/// The causes as the window shows them: computed in the background as soon as a document is open.
/// Documents of a running recording bring their own. Answers are null until they are computed; `wake` is
/// called when they are.
/// UI thread.
class GapCauses {
 public:
  explicit GapCauses(BackgroundJobs& jobs);

  /// Starts over with another document (null = none). For a recording, the last ranking stays until a newer one is
  /// computed.
  void open(DocumentPtr document);
  /// Takes computed answers. Call once a frame. Returns true when something changed.
  bool update();
  /// Blocks until all requested answers are there (screenshots, tests).
  void settle();
  bool is_computing() const;

  const CauseAnalysis* analysis() const { return analysis_.get(); }
  /// Returns the analysis with shared ownership, for workers.
  const CauseAnalysisPtr& shared_analysis() const { return analysis_; }
  /// Null while unknown (see is_not_yet()), and for an invalid gap.
  const GapDiagnosis* diagnosis(GapKey gap) const;
  /// Whether this gap of a running recording has no verdict yet, as the events before it are still arriving.
  bool is_not_yet(GapKey gap) const;
  /// Returns the gap itself; null for an invalid key.
  const Gap* gap(GapKey gap) const;
  /// Returns the gap's story, and requests it if needed; null until then. O(slices of the gap's thread inside it).
  const GapStory* story(GapKey gap);

  /// Requests a ranking of the gaps that pass `filter`, unless nothing changed.
  void rank(const GapFilter& filter, bool whole_gpu);
  /// Returns the latest complete ranking; its filter may be an older one.
  const GapRankings* rankings() const { return rankings_.get(); }

 private:
  DocumentPtr document_;
  CauseAnalysisPtr analysis_;
  std::shared_ptr<const GapRankings> rankings_;
  GapFilter ranked_filter_;
  bool ranked_whole_gpu_ = false;
  bool was_ranked_ = false;
  std::map<GapKey, std::shared_ptr<const GapStory>> stories_;
  GapKey asked_;  // the story being computed
  LatestJob<CauseAnalysisPtr> analysis_job_;
  LatestJob<GapRankings> rankings_job_;
  LatestJob<GapStory> story_job_;
};

}  // namespace lacuna
