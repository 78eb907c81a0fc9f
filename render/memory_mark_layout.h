#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the allocations of one track (TimelineData::memory) that are in view, each in the row below the innermost
/// slice that made it; those narrower than a pixel are merged. Nothing on collapsed tracks and on tracks with
/// hidden slices. O(lanes in view * pixels * log n).
void layout_memory_marks(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out);

}  // namespace lacuna
