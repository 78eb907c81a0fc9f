#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the arrows of the selected slice: from a launch to its GPU activities, to an activity
/// from its launch, and the flows that start or end at it (a flow that says the same as a launch is
/// left out). Ends that are folded away vertically point at what stands for them; ends far outside
/// the view are moved to one width beside it. Arrows that would lie on each other become one.
/// Cost O(links of the selected slice).
void layout_arrows(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
