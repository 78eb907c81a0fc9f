#include "app/gui/core/same_tracks.h"

#include <map>
#include <string_view>
#include <tuple>

#include "capture/session/running_offset.h"
#include "model/gaps/beside_gpu.h"

namespace lacuna {
namespace {

using ProcessKey = std::tuple<SourceId, std::string_view, bool>;
ProcessKey key(const Trace& trace, const Process& p) {
  return {p.source, trace.text(p.pid), is_beside_gpu(trace, p)};
}

using TrackKeyText = std::tuple<ProcessKey, TrackKind, std::string_view, std::string_view, std::string_view>;
TrackKeyText key(const Trace& trace, const Track& t) {
  // Async tracks and counters are told apart by name alone, threads by anything but their name, which
  // may come late.
  const bool by_name = !traits_of(t.kind).has_tid;
  return {key(trace, trace.process(t.process)), t.kind, trace.text(by_name ? t.name : t.tid), trace.text(t.device),
          trace.text(t.stream)};
}

}  // namespace

SameTracks::SameTracks(const Trace& from, const Trace& to)
    : from_(from), to_(to), tracks_(from.tracks().size()), processes_(from.processes().size()) {
  std::map<ProcessKey, ProcessId> processes;
  for (const Process& p : to.processes()) processes.try_emplace(key(to, p), p.id);
  for (const Process& p : from.processes())
    if (const auto found = processes.find(key(from, p)); found != processes.end())
      processes_[p.id.value] = found->second;
  std::map<TrackKeyText, TrackId> tracks;
  for (const Track& t : to.tracks()) tracks.try_emplace(key(to, t), t.id);
  for (const Track& t : from.tracks())
    if (const auto found = tracks.find(key(from, t)); found != tracks.end()) tracks_[t.id.value] = found->second;
}

SliceId SameTracks::slice(SliceId id) const {
  if (!id.valid()) return {};
  const Lane& old = from_.lane(id);
  const TrackId track_id = track(old.track);
  if (!track_id.valid()) return {};
  const Track& track = to_.track(track_id);
  const Nanos start = old.start(id.index);
  for (std::uint32_t k = 0; k < track.lane_count; ++k) {
    const LaneId lane_id{track.first_lane.value + k};
    const Lane& lane = to_.lane(lane_id);
    for (std::uint32_t i = lane.first_starting_from(start); i < lane.size() && lane.start(i) == start; ++i)
      if (lane.file_offset(i) == old.file_offset(id.index) ||
          // A range of a recording that ran is where it ended now.
          (old.file_offset(id.index) == kRunningOffset && to_.text(lane.name(i)) == from_.text(old.name(id.index))))
        return {lane_id, i};
  }
  return {};
}

}  // namespace lacuna
