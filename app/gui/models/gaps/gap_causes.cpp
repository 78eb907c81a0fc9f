#include "app/gui/models/gaps/gap_causes.h"

#include <utility>

#include "model/causes/cause_index.h"
#include "model/causes/growing_causes.h"
#include "model/causes/window_gaps.h"
#include "model/job/late_waits.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostStories = 256;

const Gap& gap_of(const CauseAnalysis& analysis, GapKey key) {
  return key.is_device ? analysis.devices[key.set].gaps[key.gap] : analysis.document->streams[key.set].gaps[key.gap];
}

const GapDiagnosis* diagnosis_of(const CauseAnalysis& analysis, GapKey key) {
  const SharedVector<GapDiagnosis>& known =
      key.is_device ? analysis.devices[key.set].diagnoses : analysis.by_stream[key.set];
  return key.gap < known.size() ? &known[key.gap] : nullptr;
}

/// What a document of a recording brings.
CauseAnalysisPtr analysis_so_far(const DocumentPtr& document) {
  auto analysis = std::make_shared<CauseAnalysis>();
  analysis->document = document;
  analysis->is_growing = true;
  analysis->by_stream = document->idle->by_stream;
  analysis->devices = document->idle->devices;
  analysis->measured_from = analysis->devices.size();
  return analysis;
}

}  // namespace

CauseAnalysisPtr analyze_causes(DocumentPtr document) {
  auto analysis = std::make_shared<CauseAnalysis>();
  analysis->document = std::move(document);
  const Document& d = *analysis->document;
  const CauseIndex index(d.trace, late_ranks_or_none(d.trace));
  analysis->by_stream.reserve(d.streams.size());
  for (const StreamActivity& stream : d.streams) analysis->by_stream.push_back(index.diagnose(stream.gaps, 2));
  analysis->devices = diagnose_devices(index, {.threads = 2});
  analysis->measured_from = analysis->devices.size();
  for (std::uint32_t s = 0; s < d.trace.sources().size(); ++s) {
    const TimeSpan window = find_measured_steps(d.trace, SourceId{s}).window;
    if (window.empty()) continue;
    for (WindowGaps& device : diagnose_window(index, SourceId{s}, window))
      analysis->devices.push_back(std::move(device.gaps));
  }
  analysis->dead_windows = find_dead_windows(d.trace);
  analysis->queues = queue_depths(d.trace);
  return analysis;
}

GapCauses::GapCauses(BackgroundJobs& jobs) : analysis_job_(jobs), rankings_job_(jobs), story_job_(jobs) {}

void GapCauses::open(DocumentPtr document) {
  // Parts of a file would give causes that the whole does not have. Recordings tell which of theirs hold.
  if (document && document->is_partial && !document->idle) document.reset();
  const bool goes_on = document && document->idle && analysis_ && analysis_->is_growing;
  analysis_job_.cancel();
  story_job_.cancel();
  if (!goes_on) {
    rankings_job_.cancel();
    rankings_.reset();
  }
  analysis_.reset();
  was_ranked_ = false;
  stories_.clear();
  asked_ = {};
  document_ = std::move(document);
  if (!document_) return;
  if (document_->idle) analysis_ = analysis_so_far(document_);
  if (!document_->is_partial) analysis_job_.start([d = document_] { return analyze_causes(d); });
}

bool GapCauses::update() {
  bool changed = false;
  if (const auto result = analysis_job_.take()) {
    analysis_ = *result;
    was_ranked_ = false;
    changed = true;
  }
  if (auto result = rankings_job_.take()) {
    rankings_ = std::move(result);
    changed = true;
  }
  if (auto result = story_job_.take()) {
    // Few are looked at; whoever looks at more than that pays for some again.
    if (stories_.size() >= kMostStories) stories_.clear();
    if (result->gap == asked_) asked_ = {};
    stories_[result->gap] = std::move(result);
    changed = true;
  }
  return changed;
}

void GapCauses::settle() {
  analysis_job_.wait();
  rankings_job_.wait();
  story_job_.wait();
  update();
}

bool GapCauses::is_computing() const {
  return analysis_job_.is_busy() || rankings_job_.is_busy() || story_job_.is_busy();
}

const GapDiagnosis* GapCauses::diagnosis(GapKey gap) const {
  return analysis_ && gap.valid() ? diagnosis_of(*analysis_, gap) : nullptr;
}

bool GapCauses::is_not_yet(GapKey gap) const {
  return analysis_ && analysis_->is_growing && gap.valid() && diagnosis_of(*analysis_, gap) == nullptr;
}

const Gap* GapCauses::gap(GapKey gap) const {
  return analysis_ && gap.valid() ? &gap_of(*analysis_, gap) : nullptr;
}

const GapStory* GapCauses::story(GapKey gap) {
  if (!analysis_ || !gap.valid()) return nullptr;
  if (const auto found = stories_.find(gap); found != stories_.end()) return found->second.get();
  if (asked_ == gap || diagnosis_of(*analysis_, gap) == nullptr) return nullptr;
  asked_ = gap;
  story_job_.start([a = analysis_, gap] {
    const Trace& trace = a->document->trace;
    const Gap& of = gap_of(*a, gap);
    const GapDiagnosis& diagnosis = *diagnosis_of(*a, gap);
    GapStory story;
    story.gap = gap;
    story.evidence = gather_evidence(trace, of, diagnosis);
    story.sentence = explain_gap(trace, of, diagnosis, story.evidence, format_duration);
    return story;
  });
  return nullptr;
}

void GapCauses::rank(const GapFilter& filter, bool whole_gpu) {
  if (!analysis_) return;
  if (was_ranked_ && filter == ranked_filter_ && whole_gpu == ranked_whole_gpu_) return;
  was_ranked_ = true;
  ranked_filter_ = filter;
  ranked_whole_gpu_ = whole_gpu;
  rankings_job_.start([a = analysis_, filter, whole_gpu] { return rank_gaps_by_blame(*a, filter, whole_gpu); });
}

}  // namespace lacuna
