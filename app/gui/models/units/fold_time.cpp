#include "app/gui/models/units/fold_time.h"

#include <algorithm>
#include <vector>

#include "render/format.h"

namespace lacuna {
namespace {

/// Slices of one row, those with less than `least` between them as one.
void add_row(const Trace& trace, const Lane& lane, Nanos least, std::vector<TimeSpan>& busy) {
  TimeSpan run = TimeSpan::nothing();
  for (std::uint32_t i = 0; i < lane.size(); ++i) {
    if (trace.category_name(lane.category(i)) == "Trace") continue;
    const TimeSpan span = lane.span(i);
    if (run != TimeSpan::nothing() && saturating_sub(span.begin, run.end) >= least) {
      busy.push_back(run);
      run = TimeSpan::nothing();
    }
    run = run.unite(span);
  }
  if (run != TimeSpan::nothing()) busy.push_back(run);
}

}  // namespace

TimeFolds find_time_folds(const Document& document, std::span<const std::uint8_t> is_hidden) {
  const Trace& trace = document.trace;
  const TimeSpan whole = trace.span();
  if (whole.empty()) return {};
  const Nanos least = std::max<Nanos>(2, whole.duration() / 4000);
  std::vector<TimeSpan> busy;
  for (const Track& track : trace.tracks()) {
    if (track.id.value < is_hidden.size() && is_hidden[track.id.value] != 0) continue;
    for (const Lane& lane : trace.lanes_of(track))
      if (lane.depth == 0) add_row(trace, lane, least, busy);
    for (const Instant& instant : track.instants) busy.push_back({instant.time, instant.time});
  }
  const std::vector<TimeSpan> idle = idle_stretches(std::move(busy), least);
  Nanos left = whole.duration();
  for (const TimeSpan& span : idle) left -= span.duration();
  const Nanos kept = std::max<Nanos>(1, left / 100);
  std::vector<TimeSpan> folded;
  for (const TimeSpan& span : idle)
    if (span.duration() / 4 > kept) folded.push_back(span);
  return TimeFolds(folded, kept);
}

std::string why_nothing_folds(const Document& document, std::span<const TrackState> tracks) {
  const Trace& trace = document.trace;
  const Nanos whole = trace.span().duration();
  // One slice that covers nearly everything is the common reason.
  SliceId longest;
  for (const Track& track : trace.tracks()) {
    if (track.id.value < tracks.size() && tracks[track.id.value].is_hidden) continue;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      if (lane.depth != 0 || lane.size() == 0) continue;
      const SliceId slice{id, lane.longest(0, lane.size())};
      if (trace.category_name(lane.category(slice.index)) == "Trace") continue;
      if (!longest.valid() || trace.span(slice).duration() > trace.span(longest).duration()) longest = slice;
    }
  }
  if (!longest.valid() || trace.span(longest).duration() < whole / 2)
    return "Nothing to fold: no stretch in which every track shown is idle is long enough. Hidden tracks do not count.";
  std::string name(trace.name(longest).substr(0, 60));
  return "Nothing to fold: " + name + " on " + std::string(trace.text(trace.track_of(longest).name)) + " runs for " +
         format_percent(static_cast<double>(trace.span(longest).duration()) / static_cast<double>(whole)) +
         " of the trace. Hide that track to fold the time in which the others are idle.";
}

}  // namespace lacuna
