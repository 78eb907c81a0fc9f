#include "app/gui/models/area/range_analysis.h"

#include <algorithm>
#include <utility>

#include "model/statistics/range_statistics.h"

namespace lacuna {
namespace {

/// Activities of a stream that overlap the range. Counted, not indexed: a scan of two bytes each.
std::uint64_t count_activities(const Trace& trace, const StreamActivity& stream, TimeSpan range) {
  std::uint64_t count = 0;
  const SourceId source = trace.process(trace.track(stream.track).process).source;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kGpuStream || track.device != stream.device || track.stream != stream.stream ||
        trace.process(track.process).source != source)
      continue;
    for (const Lane& lane : trace.lanes_of(track)) {
      const std::uint32_t first = lane.first_visible_from(range.begin);
      const std::uint32_t last = range.end == kMaxNanos ? lane.size() : lane.first_starting_from(range.end, first);
      for (std::uint32_t i = first; i < last; ++i)
        if (is_gpu_activity(trace.category_class(lane.category(i)))) ++count;
    }
  }
  return count;
}

std::vector<StreamActivity> streams_in(const Document& document, TimeSpan range) {
  std::vector<StreamActivity> streams;
  for (std::size_t i = 0; i < document.streams.size() && i < document.busy.size(); ++i) {
    const StreamActivity& whole = document.streams[i];
    const std::uint64_t events = count_activities(document.trace, whole, range);
    if (events == 0) continue;
    StreamActivity& part = streams.emplace_back();
    part.track = whole.track;
    part.device = whole.device;
    part.stream = whole.stream;
    part.events = events;
    part.first_start = std::max(whole.first_start, range.begin);
    part.last_end = std::min(whole.last_end, range.end);
    part.busy = document.busy[i].busy_in(range);
  }
  return streams;
}

}  // namespace

RangeAnalysis analyze_range(const Document& document, TimeSpan range, std::vector<TrackId> tracks, unsigned threads,
                            const std::atomic<bool>* cancel, const std::function<void(RangeAnalysis)>& progress) {
  RangeAnalysis analysis;
  analysis.range = range;
  analysis.streams = streams_in(document, range);
  RangeStatisticsOptions options;
  options.what.range = range;
  options.what.tracks = std::move(tracks);
  options.threads = threads;
  options.cancel = cancel;
  if (progress) {
    options.progress = [&](const Statistics& so_far, double part) {
      progress({range, so_far, analysis.streams, part});
    };
  }
  analysis.statistics = compute_range_statistics(document.trace, options);
  return analysis;
}

}  // namespace lacuna
