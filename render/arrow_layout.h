#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the arrows of the selected slice: from a launch to its GPU activities, to an activity
/// from its launch, and the flows that start or end at it (a flow that says the same as a launch is
/// left out). Ends that are folded away vertically point at what stands for them; ends far outside
/// the view are moved to one width beside it. Arrows that would lie on each other become one.
/// With show_all_arrows also those of every slice in view that is drawn alone, paler, at most some
/// thousands. Cost O(links of the slices concerned).
void layout_arrows(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
