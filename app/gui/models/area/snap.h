#pragma once

#include "app/finding/markers.h"
#include "app/gui/models/timeline/timeline_view.h"

namespace lacuna {

/// What a dragged edge sticks to.
struct SnapPoint {
  Nanos time = 0;
  double distance_px = 0;
};

/// The edge nearest to `x_px` of what was drawn in the row at `y_px` (slices, and the gaps between them),
/// else of the rows of that track, else of a marker: at most `reach_px` away; nothing otherwise. Only
/// what is drawn by itself: an edge inside a folded rectangle cannot be seen. `list` is the last frame's.
/// O(rectangles in the row).
std::optional<SnapPoint> find_snap(const TimelineInput& input, const TimelineDrawList& list, const Markers& markers,
                                   double x_px, float y_px, double reach_px);

}  // namespace lacuna
