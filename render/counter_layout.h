#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the steps of one counter track that are in view, adjacent and ascending in x, between
/// the track's top and bottom: 0 always lies on the scale, which is the same at every zoom. Samples
/// that share a pixel are one step from the least to the greatest of them.
/// Cost O(pixels * log samples).
void layout_counter(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out);

}  // namespace lacuna
