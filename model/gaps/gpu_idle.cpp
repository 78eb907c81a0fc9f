#include "model/gaps/gpu_idle.h"

#include <algorithm>

namespace lacuna {

Nanos gpu_idle_in(const Trace& trace, const std::vector<StreamActivity>& streams, std::size_t own, const Gap& gap) {
  const auto source_of = [&](const StreamActivity& stream) {
    return trace.process(trace.track(stream.track).process).source;
  };
  std::vector<TimeSpan> idle{{gap.start, gap.end}};
  std::vector<TimeSpan> both;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const StreamActivity& other = streams[s];
    if (s == own || other.device != streams[own].device || source_of(other) != source_of(streams[own])) continue;
    both.clear();
    for (const TimeSpan span : idle) {
      const auto keep = [&](Nanos begin, Nanos end) {
        const TimeSpan part = span.intersect({begin, end});
        if (!part.empty()) both.push_back(part);
      };
      keep(kMinNanos, other.first_start);
      for (auto g = std::ranges::lower_bound(other.gaps, span.begin, {}, &Gap::end);
           g != other.gaps.end() && g->start < span.end; ++g)
        keep(g->start, g->end);
      keep(other.last_end, kMaxNanos);
    }
    idle.swap(both);
  }
  Nanos sum = 0;
  for (const TimeSpan span : idle) sum += span.duration();
  return sum;
}

}  // namespace lacuna
