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

/// Why the gaps of a document are there, and what else model/causes finds in it. Immutable; shared
/// by the UI thread and the workers.
struct CauseAnalysis {
  DocumentPtr document;
  /// Of a recording, from what its documents share (Document::idle): the last gaps have no verdict yet, and dead
  /// windows and queues are not looked for.
  bool is_growing = false;
  GapVerdicts by_stream;            ///< like Document::streams and their gaps
  std::vector<CausedGaps> devices;  ///< idle time of whole GPUs; behind them, the same in the measured time
  std::size_t measured_from = 0;    ///< index in `devices`; its size where the measured time is not known
  std::vector<DeadWindowGroup> dead_windows;
  std::vector<QueueDepth> queues;
};
using CauseAnalysisPtr = std::shared_ptr<const CauseAnalysis>;

/// O(n log n) in the events. Any thread.
CauseAnalysisPtr analyze_causes(DocumentPtr document);

/// A gap of a stream or, `is_device`, of a whole GPU.
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

/// Causes as the window shows them: computed in the background as soon as a document is open, and
/// then asked about. Documents of a recording under way bring theirs. Answers are null until they are there; `wake` is
/// called when they are.
/// UI thread.
class GapCauses {
 public:
  explicit GapCauses(BackgroundJobs& jobs);

  /// Starts over with another document (null = none). Of a recording, the last ranking stays until a newer one is
  /// there.
  void open(DocumentPtr document);
  /// Fetches what was computed. Call once a frame. True when something changed.
  bool update();
  /// Waits until everything asked for is there (screenshots, tests).
  void settle();
  bool is_computing() const;

  const CauseAnalysis* analysis() const { return analysis_.get(); }
  /// The same, for workers.
  const CauseAnalysisPtr& shared_analysis() const { return analysis_; }
  /// Null while unknown, which is_not_yet() tells apart, and for an invalid gap.
  const GapDiagnosis* diagnosis(GapKey gap) const;
  /// The gap of a recording under way has no verdict yet: what led to it is still being told.
  bool is_not_yet(GapKey gap) const;
  /// The gap itself, likewise.
  const Gap* gap(GapKey gap) const;
  /// Asks for it, too. Finding it takes as long as the thread of the gap has slices inside it.
  const GapStory* story(GapKey gap);

  /// Ranks the gaps that pass `filter`; asks again only when something changed.
  void rank(const GapList::Filter& filter, bool whole_gpu);
  /// The latest complete ranking, maybe of a filter that has changed since.
  const GapRankings* rankings() const { return rankings_.get(); }

 private:
  DocumentPtr document_;
  CauseAnalysisPtr analysis_;
  std::shared_ptr<const GapRankings> rankings_;
  GapList::Filter ranked_filter_;
  bool ranked_whole_gpu_ = false;
  bool was_ranked_ = false;
  std::map<GapKey, std::shared_ptr<const GapStory>> stories_;
  GapKey asked_;  // the story under way
  LatestJob<CauseAnalysisPtr> analysis_job_;
  LatestJob<GapRankings> rankings_job_;
  LatestJob<GapStory> story_job_;
};

}  // namespace lacuna
