#pragma once

#include "app/finding/markers.h"
#include "app/gui/models/timeline/timeline_view.h"

namespace lacuna {

/// A point that a dragged edge snaps to.
struct SnapPoint {
  Nanos time = 0;
  double distance_px = 0;
};

/// Returns the nearest edge to `x_px` among the slices and gaps drawn in the row at `y_px`,
/// else among the rows of that track, else among the markers; nothing if none is within `reach_px`. Considers only
/// what is drawn individually: edges inside a folded rectangle are invisible. `list` is the last frame's.
/// O(rectangles in the row).
std::optional<SnapPoint> find_snap(const TimelineInput& input, const TimelineDrawList& list, const Markers& markers,
                                   double x_px, float y_px, double reach_px);

}  // namespace lacuna
