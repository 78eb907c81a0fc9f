#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the idle intervals of one GPU stream that are in view, over the height of its first row:
/// those of at least TimelineInput::min_gap_ns, each at least one pixel wide; smaller ones share a
/// rectangle that represents the longest. No two overlap. Cost O(pixels + log gaps). Needs
/// the stream's busy index.
void layout_gaps(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out);

/// Fills in the causes of gaps in the headers of GPUs. Call after all gaps and headers are laid out.
void add_causes(const TimelineInput& input, TimelineDrawList& out);

}  // namespace lacuna
