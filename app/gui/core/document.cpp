#include "app/gui/core/document.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "app/finding/finding_view.h"
#include "app/finding/trace_identity.h"
#include "app/gui/core/document_upkeep.h"
#include "capture/remote/remote_questions.h"
#include "model/base/page_memory.h"
#include "model/base/parallel.h"
#include "model/causes/growing_causes.h"
#include "model/job/clock_shifts.h"
#include "model/steps/measured_steps.h"
#include "model/trace/tracks_of.h"
#include "render/characters.h"

namespace lacuna {
namespace {

// The view goes by the inner slices when the whole span is this much longer than theirs.
constexpr double kOutlierRatio = 2.0;

/// Steps with the GPU work that they launched, and what has their names on GPU tracks; nothing() without any.
TimeSpan step_range(const Trace& trace) {
  std::vector<bool> is_step(trace.strings().size(), false);
  bool any = false;
  for (std::uint32_t s = 0; s < trace.sources().size(); ++s)
    for (const StepMark& mark : find_step_marks(trace, SourceId{s})) is_step[mark.name.value] = any = true;
  TimeSpan range = TimeSpan::nothing();
  if (!any) return range;
  for (const Lane& lane : trace.lanes()) {
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (is_step[lane.name(i).value]) range = range.unite(lane.span(i));
    }
  }
  for (const Step& step : find_step_windows(trace)) range = range.unite(step.span);
  return range;
}

/// Whether the trace has GPU work, but none in `range`.
bool misses_gpu_work(const Trace& trace, TimeSpan range) {
  bool has_any = false;
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream)) {
    for (const Lane& lane : trace.lanes_of(track)) {
      has_any = has_any || lane.size() > 0;
      const std::uint32_t i = lane.first_visible_from(range.begin);
      if (i < lane.size() && lane.start(i) < range.end) return false;
    }
  }
  return has_any;
}

/// Whether the trace is one of counters, as a snapshot of the allocator: its few slices say little about where to look.
bool is_of_counters(const Trace& trace) {
  std::uint64_t samples = 0;
  for (const Track& track : trace.tracks()) samples += track.counter.times.size();
  return samples / 100 > trace.slice_count();
}

/// From the first percentile of the starts to the last percentile of the ends; of very many slices, of a sample.
TimeSpan inner_range(const Trace& trace) {
  constexpr std::uint64_t kEnough = 8'000'000;
  std::vector<Nanos> starts;
  std::vector<Nanos> ends;
  starts.reserve(std::min(trace.slice_count(), 2 * kEnough));
  ends.reserve(std::min(trace.slice_count(), 2 * kEnough));
  const auto step = static_cast<std::uint32_t>(1 + trace.slice_count() / (kEnough + 1));
  for (const Lane& lane : trace.lanes()) {
    for (std::uint64_t k = 0; k < lane.size(); k += step) {
      const auto i = static_cast<std::uint32_t>(k);
      starts.push_back(lane.start(i));
      ends.push_back(lane.end(i));
    }
  }
  if (starts.empty()) return TimeSpan::nothing();
  const auto cut = static_cast<std::ptrdiff_t>(starts.size() / 100);
  std::nth_element(starts.begin(), starts.begin() + cut, starts.end());
  std::nth_element(ends.begin(), ends.end() - 1 - cut, ends.end());
  return {starts[static_cast<std::size_t>(cut)], *(ends.end() - 1 - cut)};
}

void find_measured(Document& document) {
  TimeSpan all = TimeSpan::nothing();
  for (std::uint32_t s = 0; s < document.trace.sources().size(); ++s) {
    const TimeSpan window = find_measured_steps(document.trace, SourceId{s}).window;
    document.measured_of.push_back(window.empty() ? TimeSpan::everything() : window);
    if (!window.empty()) all = all.unite(window);
  }
  document.measured = all.empty() ? TimeSpan::everything() : all;
  document.step_windows = find_step_windows(document.trace);
  document.step_choices = find_step_choices(document.trace);
}

constexpr std::uint64_t kMostWithHome = 200'000;            // slices: looking at all of them takes a while
constexpr std::uint64_t kMostRecordedWithHome = 8'000'000;  // … of a recording that is over

/// Fills in what is derived from the trace. False when it was cancelled on the way.
bool analyze(Document& document, unsigned threads, const std::atomic<bool>& cancel, DocumentUpkeep* upkeep = nullptr) {
  if (upkeep) {
    document.idle = upkeep->idle(document.trace, !document.is_partial);
    document.streams = document.idle->streams;
    document.busy = upkeep->busy(document.trace, *document.idle);
    if (!document.is_partial && document.trace.slice_count() <= kMostRecordedWithHome) find_measured(document);
  } else {
    // Side by side: most traces have one stream with most of the activities, on which one thread works.
    parallel_for(3, threads, [&](std::size_t i) {
      if (i == 2 && !document.is_partial) {
        find_measured(document);
      } else if (i == 0 && !document.is_from_cache) {
        document.folds = FoldIndex::build(document.trace.lanes(), threads);
      } else if (i == 1) {
        document.streams = analyze_streams(document.trace, {.threads = threads});
        document.busy = StreamBusyIndex::build(document.streams, threads);
      }
    });
  }
  if (cancel) return false;
  // Of a recording under way each picture would make them anew: its frames search instead.
  if (!document.is_partial || upkeep == nullptr) document.track_folds = TrackFolds::build(document.trace, threads);
  document.hues = NameHues(document.trace.strings());
  UncommonCharacters characters;
  for (std::uint32_t i = 0; i < document.trace.strings().size(); ++i) characters.add(document.trace.text(StringId{i}));
  for (const std::string& path : document.paths) characters.add(path);
  document.characters = characters.sorted();
  document.steps = upkeep ? upkeep->steps(document.trace) : find_steps(document.trace);
  const auto find_home = [&] {
    // Pictures of recordings follow each other, and the newest is what is looked at.
    // Of many slices all is shown: they are on disk, and to look at each of them takes a while.
    const std::uint64_t most = document.is_partial ? kMostWithHome : kMostRecordedWithHome;
    const bool is_passing = upkeep != nullptr && document.trace.slice_count() > most;
    document.home = is_passing ? document.trace.span() : interesting_range(document.trace);
  };
  // With the rest; unless it was kept for a window on another machine.
  if (document.is_from_cache && document.home.empty()) find_home();
  if (document.is_from_cache) return !cancel;
  if (cancel) return false;
  document.statistics = upkeep ? upkeep->statistics(document.trace) : compute_statistics(document.trace);
  if (cancel) return false;
  if (upkeep) document.folds = upkeep->folds(document.trace);
  if (cancel) return false;
  find_home();
  return !cancel;
}

}  // namespace

TimeSpan interesting_range(const Trace& trace) {
  const TimeSpan whole = trace.span();
  if (whole.empty()) return whole;
  if (const TimeSpan steps = step_range(trace); !steps.empty()) {
    const Nanos room = steps.duration() / 20;
    return TimeSpan{saturating_sub(steps.begin, room), saturating_add(steps.end, room)}.intersect(whole);
  }
  if (is_of_counters(trace)) return whole;
  const TimeSpan inner = inner_range(trace);
  if (!inner.empty() && static_cast<double>(whole.duration()) > kOutlierRatio * static_cast<double>(inner.duration()) &&
      !misses_gpu_work(trace, inner)) {
    return inner;
  }
  return whole;
}

DocumentPtr make_document(Trace trace, DocumentUpkeep& upkeep, bool is_partial, unsigned threads) {
  auto document = std::make_shared<Document>();
  document->is_partial = is_partial;
  document->trace = std::move(trace);
  document->resident = upkeep.resident();
  static const std::atomic<bool> kNever{false};
  analyze(*document, threads, kNever, &upkeep);
  return document;
}

DocumentPtr make_document(Trace trace, std::vector<std::string> paths, bool is_partial, unsigned threads) {
  auto document = std::make_shared<Document>();
  document->is_partial = is_partial;
  document->trace = std::move(trace);
  document->paths = std::move(paths);
  static const std::atomic<bool> kNever{false};
  analyze(*document, threads, kNever);
  return document;
}

std::shared_ptr<Document> make_thin_document(Trace trace, std::vector<std::string> paths, Statistics statistics,
                                             RemoteAnswers answers) {
  auto document = std::make_shared<Document>();
  document->is_partial = document->is_thinned = true;
  document->trace = std::move(trace);
  document->paths = std::move(paths);
  static const std::atomic<bool> kNever{false};
  analyze(*document, 1, kNever);
  // Those of the picture would count what stands for several as one.
  document->statistics = std::move(statistics);
  document->answers = std::make_shared<const RemoteAnswers>(std::move(answers));
  return document;
}

Result<DocumentPtr> load_document(std::span<const std::string> paths, const ImportOptions& chosen,
                                  ImportProgress& progress, const std::function<void(DocumentPtr)>& preview,
                                  const RememberedSteps& remembered) {
  const auto begin = std::chrono::steady_clock::now();
  ImportOptions options = chosen;
  const auto make = [&paths](Trace trace) {
    auto document = std::make_shared<Document>();
    document->trace = std::move(trace);
    document->paths.assign(paths.begin(), paths.end());
    return document;
  };
  if (preview) {
    options.preview = [&](Trace trace) {
      auto document = make(std::move(trace));
      document->is_partial = true;
      if (analyze(*document, 1, progress.cancel)) preview(std::move(document));
    };
  }
  const PageReuse reuse(kReusedByImports);  // what the import let go of is what comes after it needs
  const unsigned all = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  std::shared_ptr<Document> document;
  try {
    if (Result<void> known = resolve_clocks(paths, options, &progress); !known)
      return tl::make_unexpected(known.error());
    TraceCache::Files files;
    if (options.use_cache) files = TraceCache::look_at(paths, options);
    if (auto kept = TraceCache().find(files, options)) {
      document = make(std::move(kept->trace));
      document->is_from_cache = true;
      document->folds = std::move(kept->folds);
      document->statistics = std::move(kept->statistics);
      document->home = kept->home;
    } else {
      Result<Trace> trace = import_files(paths, options, &progress);
      if (!trace) return tl::make_unexpected(trace.error());
      if (progress.cancel) return fail(ErrorCode::kCancelled, "loading was cancelled");
      document = make(std::move(*trace));
      document->to_keep = std::move(files);
    }
    document->identity = trace_identity(document->trace.sources());
    if (paths.size() == 1) {
      document->found_view = read_finding_view(paths.front());
      document->found_queries = read_finding_queries(paths.front());
    }
    if (options.steps_from.empty()) {
      std::string pattern = remembered ? remembered(document->identity) : std::string();
      if (pattern.empty()) pattern = finding_steps(document->found_view);
      if (!pattern.empty()) document->trace.set_steps_from(std::move(pattern));
    }
    if (!analyze(*document, all, progress.cancel)) {
      return fail(ErrorCode::kCancelled, "loading was cancelled");
    }
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to analyse the trace", paths.front());
  }
  if (const auto view = finding_times(document->found_view).view; view && view->overlaps(document->trace.span()))
    document->home = *view;
  document->load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return document;
}

void keep_document(const Document& document, const std::atomic<bool>& cancel) {
  if (document.to_keep.key.empty()) return;
  try {
    (void)TraceCache().keep(document.to_keep, document.trace, document.folds, document.statistics, document.home,
                            &cancel);
  } catch (const std::bad_alloc&) {  // then it is read anew next time
  }
}

}  // namespace lacuna
