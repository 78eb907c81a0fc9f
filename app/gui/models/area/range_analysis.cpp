#include "app/gui/models/area/range_analysis.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/statistics/statistics.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// A stream by its file, device and name.
using StreamKey = std::tuple<SourceId, StringId, StringId>;
StreamKey stream_key(const Trace& trace, const Track& track) {
  return {trace.process(track.process).source, track.device, track.stream};
}

/// Activities of each stream that overlap the range. Counted, not indexed: a scan of two bytes each.
std::map<StreamKey, std::uint64_t> count_activities(const Trace& trace, TimeSpan range) {
  std::map<StreamKey, std::uint64_t> counts;
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream)) {
    std::uint64_t& count = counts[stream_key(trace, track)];
    for (const Lane& lane : trace.lanes_of(track)) {
      const std::uint32_t first = lane.first_visible_from(range.begin);
      const std::uint32_t last = range.end == kMaxNanos ? lane.size() : lane.first_starting_from(range.end, first);
      for (std::uint32_t i = first; i < last; ++i)
        if (is_gpu_activity(trace.category_class(lane.category(i)))) ++count;
    }
  }
  return counts;
}

std::vector<StreamActivity> streams_in(const Document& document, TimeSpan range) {
  std::vector<StreamActivity> streams;
  std::map<StreamKey, std::uint64_t> counts = count_activities(document.trace, range);
  for (std::size_t i = 0; i < document.streams.size() && i < document.busy.size(); ++i) {
    const StreamActivity& whole = document.streams[i];
    const std::uint64_t events = counts[stream_key(document.trace, document.trace.track(whole.track))];
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
  StatisticsOptions options;
  options.range = range;
  options.tracks = std::move(tracks);
  options.percentiles = true;
  options.threads = threads;
  options.cancel = cancel;
  if (progress) {
    options.progress = [&](const Statistics& so_far, double part) {
      progress({range, so_far, analysis.streams, part});
    };
  }
  analysis.statistics = compute_statistics(document.trace, options);
  return analysis;
}

}  // namespace lacuna
