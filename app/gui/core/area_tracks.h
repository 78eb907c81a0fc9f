#pragma once

#include <vector>

#include "render/timeline_layout.h"

namespace lacuna {

/// The tracks that a rectangle from `y0` to `y1` (content coordinates, any order) touches; of a
/// collapsed process all that are not hidden. Ascending as they are shown, each once.
std::vector<TrackId> tracks_between(const TimelineInput& input, const VerticalLayout& vertical, float y0, float y1);

}  // namespace lacuna
