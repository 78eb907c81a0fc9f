// Allocations below the slices that they were made in: an edge where each begins, pale as long as it is held.

#include <algorithm>
#include <cmath>

#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {

void paint_memory(const PaintContext& c) {
  if (c.list.memory_marks.empty()) return;
  const float edge = std::max(1.0f, std::round(c.fonts.px(2)));
  const float padding = c.fonts.px(4);
  const Rgba fill = mix(c.theme.background, c.theme.memory, 0.28f);
  const Rgba many = mix(c.theme.background, c.theme.memory, 0.6f);
  {
    RectBatch batch(c.draw);
    for (const DrawMemoryMark& mark : c.list.memory_marks) {
      const ImVec2 a = c.at(mark.x0, mark.y0);
      const ImVec2 b = c.at(mark.x1, mark.y1);
      // Less high than slices, and hanging from the row above: it is not one of them.
      const float foot = std::round(a.y + (b.y - a.y) * 0.8f);
      batch.add(a, {b.x, foot}, to_imgui(mark.folded > 1 ? many : fill));
      batch.add(a, {std::min(a.x + edge, std::max(b.x, a.x + 1)), foot}, to_imgui(c.theme.memory));
    }
  }
  const float size = c.fonts.label_px;
  for (const DrawMemoryMark& mark : c.list.memory_marks) {
    if (mark.label.empty() || mark.y1 - mark.y0 < size) continue;
    const float left = std::max(mark.x0, 0.0f) + edge + padding * 0.5f;
    const float room = std::min(mark.x1, c.place.width_px) - left - padding * 0.5f;
    const ImVec2 at = c.at(left, mark.y0 + ((mark.y1 - mark.y0) * 0.8f - size) * 0.5f - 0.5f);
    draw_text(c.draw, c.fonts.label, size, at, to_imgui(c.theme.text), mark.label, room);
  }
}

}  // namespace lacuna
