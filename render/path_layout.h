#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends where input.emphasis.path runs: a bar on each row in view (DrawPathBar), and a line wherever it goes on in
/// another row (DrawPathLink). Parts narrower than a pixel share a bar; lines between such parts are left out. O((rows
/// in view + 1) * pixels * log n).
void layout_path(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
