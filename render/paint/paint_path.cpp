// The critical path: a bar at the top of the rows that it runs through, and lines from one to the next.

#include <algorithm>
#include <cmath>

#include "render/paint/paint_parts.h"

namespace lacuna {

void paint_path(const PaintContext& c) {
  if (c.list.path_bars.empty() && c.list.path_links.empty()) return;
  const float thickness = std::max(2.0f, std::round(c.fonts.px(3)));
  const float line = std::max(1.0f, std::round(c.fonts.px(1.5f)));
  const ImU32 colour = to_imgui(c.theme.path);
  const ImU32 edge = to_imgui(c.theme.background);
  RectBatch batch(c.draw);
  for (const DrawPathLink& link : c.list.path_links) {
    const ImVec2 a = c.at(link.x, link.y0);
    batch.add({std::round(a.x - line * 0.5f), a.y},
              {std::round(a.x - line * 0.5f) + line, c.at(0, link.y1).y + thickness}, colour);
  }
  for (const DrawPathBar& bar : c.list.path_bars) {
    const ImVec2 a = c.at(bar.x0, bar.y0);
    const ImVec2 b = c.at(bar.x1, bar.y1);
    const float high = std::min(thickness, std::max(1.0f, (b.y - a.y) * 0.5f));
    // A wait is thin: nothing ran.
    const float own = bar.is_wait ? std::max(1.0f, std::floor(high * 0.5f)) : high;
    if (!bar.is_wait && b.y - a.y > 2 * high) batch.add({a.x, a.y + own}, {b.x, a.y + own + 1}, edge);
    batch.add(a, {b.x, a.y + own}, bar.is_wait ? to_imgui(with_alpha(c.theme.path, 0.75f)) : colour);
  }
}

}  // namespace lacuna
