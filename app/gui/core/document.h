#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/base/result.h"
#include "model/cache/trace_cache.h"
#include "model/gaps/gaps.h"
#include "model/import/importer.h"
#include "model/index/busy_index.h"
#include "model/index/fold_index.h"
#include "model/index/moment_folds.h"
#include "model/statistics/statistics.h"
#include "model/steps/step_choices.h"
#include "model/trace/trace.h"
#include "render/palette.h"

namespace lacuna {

class DocumentUpkeep;
struct IdleTime;
class ResidentLimit;
struct RemoteAnswers;

/// An open trace with the answers that every panel needs at once, so that no
/// frame has to wait for them. Immutable once made; shared by the UI thread and the workers.
struct Document {
  Trace trace;
  std::vector<std::string> paths;
  std::vector<StreamActivity> streams;   ///< of the whole trace, every gap included
  std::vector<StreamBusyIndex> busy;     ///< of each stream
  NameHues hues;                         ///< of every name
  std::vector<FoldIndex> folds;          ///< of each lane
  TrackFolds track_folds;                ///< of instants and counters; of a recording under way none
  Statistics statistics;                 ///< of the whole trace; percentiles only in pictures of recordings
  std::vector<Step> steps;               ///< of the profiler, by number
  std::vector<Step> step_windows;        ///< the same as find_step_windows() has them; empty of a part of a trace
  std::vector<StepChoice> step_choices;  ///< find_step_choices(); of a part of a trace none
  TimeSpan home;                         ///< what the view shows at first (interesting_range)
  /// The measured windows of all files (MeasuredSteps) together; everything() of a part of a trace, and without any.
  TimeSpan measured = TimeSpan::everything();
  std::vector<TimeSpan> measured_of;       ///< … of each file, by SourceId; empty of a part of a trace
  std::string identity;                    ///< trace_identity() of its files; empty: nothing is kept
  std::u32string characters;               ///< of names and paths, those that typefaces may lack (UncommonCharacters)
  std::string found_view;                  ///< of a finding: how it is looked at (read_finding_view()); else empty
  std::vector<std::string> found_queries;  ///< of a finding: SQL that came with it
  double load_seconds = 0;
  TraceCache::Files to_keep;  ///< the files it was read from, if caching them is worthwhile: see keep_document()
  bool is_from_cache = false;
  bool is_partial = false;                  ///< a preview: the files are still being read
  std::shared_ptr<ResidentLimit> resident;  ///< of a recording: bounds how much of it lies in memory
  bool is_thinned = false;                  ///< of a trace on another machine: only the slices that a picture needs
  /// Of a thinned document: the answers that came with it, to which its statistics belong.
  std::shared_ptr<const RemoteAnswers> answers;
  /// Of a recording: `streams` with the causes of their gaps, as far as they are known. Else null.
  std::shared_ptr<const IdleTime> idle;

  /// Whether this machine, or the one from which it is seen, has all of it and can answer.
  bool is_answerable() const { return !is_partial || is_thinned; }
};
using DocumentPtr = std::shared_ptr<const Document>;

/// Whether answers about one are those about the other: of a trace on another machine each picture is a document.
inline bool is_same_trace(const DocumentPtr& a, const DocumentPtr& b) {
  return a == b || (a && b && a->is_thinned && b->is_thinned && a->paths == b->paths);
}

/// Whether all of a trace has come that `before` is a picture of, seen from another machine.
inline bool has_come_whole(const DocumentPtr& before, const DocumentPtr& now) {
  return before && now && before->is_thinned && !now->is_thinned && before->paths == now->paths;
}

using RememberedSteps = std::function<std::string(const std::string& identity)>;

/// Imports the files and analyses them. Blocking: call it on a worker thread. Errors: those of
/// import_files; kCancelled also when `progress.cancel` is set while analysing. `preview` (may be
/// empty) gets, on the same thread, what is there so far (see ImportOptions::preview). `remembered` (may be empty)
/// gives, on the same thread, the choice of steps that the user made for the trace with this identity
/// (Trace::steps_from()), where the options do not say it.
Result<DocumentPtr> load_document(std::span<const std::string> paths, const ImportOptions& options,
                                  ImportProgress& progress, const std::function<void(DocumentPtr)>& preview = {},
                                  const RememberedSteps& remembered = {});

/// Puts a document into the cache, if it was read with `use_cache` and did not come out of it. A file that cannot be
/// written causes no message: `lacuna doctor` says why. Blocking: about as long as reading it again would
/// take; returns soon once `cancel` is set.
void keep_document(const Document& document, const std::atomic<bool>& cancel);

/// Makes a document of a trace in memory (recordings, tests). `is_partial`: more of it will follow.
DocumentPtr make_document(Trace trace, std::vector<std::string> paths, bool is_partial = false, unsigned threads = 1);
/// Makes a document of a trace that TraceThinner reduced on another machine, with the answers that came with it.
std::shared_ptr<Document> make_thin_document(Trace trace, std::vector<std::string> paths, Statistics statistics,
                                             RemoteAnswers answers);
/// Makes a document of a recording; reuses what earlier documents derived from sealed slices.
DocumentPtr make_document(Trace trace, DocumentUpkeep& upkeep, bool is_partial, unsigned threads = 1);

/// The range to show first: the steps of the profiler (ProfilerStep#k) with some
/// room around them where there are any; else everything of a trace that is one of counters; else the span of the inner
/// 98 % of the slices when a few outliers would make them tiny; else everything. Never empty unless the trace is.
/// O(slices).
TimeSpan interesting_range(const Trace& trace);

}  // namespace lacuna
