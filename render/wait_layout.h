#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// For the selected GPU slice: the time from its launch to its start, in parts with words (start_delay).
void layout_waits(const LayoutContext& context, TimelineDrawList& out);

/// Below each annotation of a CPU thread that is drawn alone: the time before anything happens in it, where that is
/// long enough to be seen and a tenth of it or more. After layout_slices().
void layout_dead_windows(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
