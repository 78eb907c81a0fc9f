#include "app/gui/core/area_tracks.h"

#include <algorithm>

namespace lacuna {

std::vector<TrackId> tracks_between(const TimelineInput& input, const VerticalLayout& vertical, float y0, float y1) {
  if (y0 > y1) std::swap(y0, y1);
  std::vector<TrackId> tracks;
  const auto add = [&](TrackId id) {
    if (std::ranges::find(tracks, id) == tracks.end()) tracks.push_back(id);
  };
  for (const TrackPlace& place : vertical.tracks)
    if (!place.is_overview && place.y0 <= y1 && place.y1 > y0) add(place.track);
  for (const VerticalLayout::ProcessPlace& place : vertical.processes) {
    if (!input.arrangement.is_collapsed(place.process) || place.y0 > y1 || place.y1 <= y0) continue;
    for (const TrackId id : input.data.trace->process(place.process).tracks)
      if (!input.arrangement.is_hidden(id)) add(id);
  }
  return tracks;
}

}  // namespace lacuna
