#pragma once

#include "render/layout_context.h"

namespace lacuna {

/// Appends the course of input.emphasis.path: a bar on each row in view (DrawPathBar), and a line where it continues in
/// another row (DrawPathLink). Parts narrower than a pixel share a bar; lines between such parts are omitted. O((rows
/// in view + 1) * pixels * log n).
void layout_path(const LayoutContext& context, TimelineDrawList& out);

}  // namespace lacuna
