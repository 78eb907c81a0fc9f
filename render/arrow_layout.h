#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the arrows of the selected slice: from a launch to its GPU activities, to an activity
/// from its launch, and the flows that start or end at it (except flows that duplicate a launch).
/// Ends that are collapsed vertically point at what represents them; ends far outside
/// the view are moved to one width beside it. Arrows that would coincide become one.
/// With show_all_arrows also those of every slice in view that is drawn alone, paler, at most a few
/// thousand. Cost O(links of the slices involved).
void layout_arrows(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
