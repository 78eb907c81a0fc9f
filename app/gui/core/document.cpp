#include "app/gui/core/document.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "app/gui/core/trace_identity.h"
#include "model/causes/known_names.h"
#include "model/statistics/range_statistics.h"

namespace lacuna {
namespace {

// The view goes by the inner slices when the whole span is this much longer than theirs.
constexpr double kOutlierRatio = 2.0;

/// Steps, and what has their names on GPU tracks, where they run on; nothing() without any.
TimeSpan step_range(const Trace& trace) {
  std::vector<bool> is_step(trace.strings().size(), false);
  bool any = false;
  for (std::uint32_t i = 0; i < trace.strings().size(); ++i) {
    is_step[i] = is_profiler_step(trace.text(StringId{i}));
    any = any || is_step[i];
  }
  TimeSpan range = TimeSpan::nothing();
  if (!any) return range;
  for (const Lane& lane : trace.lanes()) {
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (is_step[lane.name(i).value]) range = range.unite(lane.span(i));
    }
  }
  return range;
}

/// From the first percentile of the starts to the last percentile of the ends.
TimeSpan inner_range(const Trace& trace) {
  std::vector<Nanos> starts;
  std::vector<Nanos> ends;
  starts.reserve(trace.slice_count());
  ends.reserve(trace.slice_count());
  for (const Lane& lane : trace.lanes()) {
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
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

/// Pictures of recordings under way have percentiles up to this many slices: about a fifth of what such a
/// picture costs. They cannot come later, for the next picture is there before they are.
constexpr std::uint64_t kMostWithPercentiles = 4'000'000;

Statistics statistics_of(const Document& document) {
  const bool is_of_recording = document.is_partial && document.paths.empty();
  return is_of_recording && document.trace.slice_count() <= kMostWithPercentiles
             ? compute_range_statistics(document.trace, {})
             : compute_statistics(document.trace);
}

/// Fills in what is derived from the trace. False when it was cancelled on the way.
bool analyze(Document& document, unsigned threads, const std::atomic<bool>& cancel) {
  document.streams = analyze_streams(document.trace, {.threads = threads});
  document.busy = StreamBusyIndex::build(document.streams, threads);
  if (cancel) return false;
  document.hues = NameHues(document.trace.strings());
  if (document.is_from_cache) return !cancel;  // with the rest
  if (cancel) return false;
  document.statistics = statistics_of(document);
  if (cancel) return false;
  document.folds = FoldIndex::build(document.trace.lanes(), threads);
  if (cancel) return false;
  document.home = interesting_range(document.trace);
  return !cancel;
}

}  // namespace

TimeSpan interesting_range(const Trace& trace) {
  const TimeSpan whole = trace.span();
  if (whole.empty()) return whole;
  if (const TimeSpan steps = step_range(trace); !steps.empty()) {
    // What a step launched may run on after it.
    const Nanos room = steps.duration() / 20;
    return TimeSpan{saturating_sub(steps.begin, room), saturating_add(steps.end, room)}.intersect(whole);
  }
  const TimeSpan inner = inner_range(trace);
  if (!inner.empty() && static_cast<double>(whole.duration()) > kOutlierRatio * static_cast<double>(inner.duration())) {
    return inner;
  }
  return whole;
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

Result<DocumentPtr> load_document(std::span<const std::string> paths, const ImportOptions& chosen,
                                  ImportProgress& progress, const std::function<void(DocumentPtr)>& preview) {
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
  const unsigned all = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  std::shared_ptr<Document> document;
  try {
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
    if (!analyze(*document, all, progress.cancel)) {
      return fail(ErrorCode::kCancelled, "loading was cancelled");
    }
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to analyse the trace", paths.front());
  }
  document->identity = trace_identity(document->trace.sources());
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
