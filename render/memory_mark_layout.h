#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the allocations of one track (TimelineData::memory) that are in view, each in the row under the innermost
/// slice that it was made in; those narrower than a pixel together. Nothing on collapsed tracks and on those with
/// hidden slices. O(lanes in view * pixels * log n).
void layout_memory_marks(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out);

}  // namespace lacuna
