#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the visible rows of one track and their slices (DrawRow, DrawSlice).
///
/// A slice narrower than a pixel shares a rectangle with its neighbours in that pixel; the name that takes
/// most of their time gives the colour, and the rectangle stores their number. Every rectangle is at least one
/// pixel wide (except at the view's edges), so zero-length slices are visible. No two rectangles of a row
/// overlap. O(rows in view * pixels * log n).
void layout_slices(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out);

}  // namespace lacuna
