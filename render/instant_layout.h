#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the instants of one track that are in view, in the strip above its lanes (in all of the
/// track's height if it has no lanes). Instants that share a pixel are one mark with a count.
/// Cost O(pixels * log instants).
void layout_instants(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out);

}  // namespace lacuna
