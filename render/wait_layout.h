#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Lays out, for the selected GPU slice, the time from its launch to its start, in labelled parts (start_delay).
void layout_waits(const LayoutContext& context, TimelineDrawList& out);

/// Lays out, below each annotation of a CPU thread that is drawn alone, the idle time before its first activity, if it
/// is wide enough to be seen and at least a tenth of the annotation. Call after layout_slices().
void layout_dead_windows(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
