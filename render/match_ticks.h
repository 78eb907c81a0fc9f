#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Lays out ticks at the starts of search matches in view: at most one tick for every two pixels, ascending.
/// O(pixels * log n).
void layout_match_ticks(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
