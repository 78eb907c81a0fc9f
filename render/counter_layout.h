#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the steps of one counter track that are in view, adjacent and ascending in x, between
/// the track's top and bottom: the scale always includes 0 and is the same at every zoom. Samples
/// that share a pixel become one step from the least to the greatest.
/// Cost O(pixels * log samples).
void layout_counter(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out);

}  // namespace lacuna
