// Idle intervals of GPU streams: hatched, with their length where it fits.

#include <algorithm>
#include <cmath>

#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kHatchStep = 7;  // design pixels between two lines

/// Lines that rise to the right, cut exactly at the rectangle, so that no clip rectangle (and no
/// draw call) per gap is needed. `phase` moves the pattern with the gap when the view pans.
void hatch(ImDrawList& draw, ImVec2 a, ImVec2 b, float step, float phase, ImU32 colour) {
  const float height = b.y - a.y;
  float x = a.x - height - std::fmod(height, step) + phase;
  for (; x < b.x; x += step) {
    // The line from (x, bottom) to (x + height, top).
    const float left = std::max(x, a.x);
    const float right = std::min(x + height, b.x);
    if (right - left < 1) continue;
    draw.AddLine({left, b.y - (left - x)}, {right, b.y - (right - x)}, colour, 1.0f);
  }
}

void paint_gap(const PaintContext& c, const DrawGap& gap) {
  const ImVec2 a = c.at(gap.x0, gap.y0);
  const ImVec2 b = c.at(gap.x1, gap.y1);
  const float strength = 0.45f + 0.55f * std::clamp(gap.intensity, 0.0f, 1.0f);
  const float fill_alpha = static_cast<float>(c.theme.gap_fill & 0xffu) / 255.0f * strength;
  c.draw.AddRectFilled(a, b, to_imgui(with_alpha(c.theme.gap_fill, fill_alpha)));

  const float step = c.fonts.px(kHatchStep);
  if (b.x - a.x >= 3) {
    const double start_x = c.input.camera.x_of(gap.start);
    const auto phase = static_cast<float>(std::fmod(start_x - gap.x0, static_cast<double>(step)));
    hatch(c.draw, a, b, step, phase, to_imgui(with_alpha(c.theme.gap, 0.14f + 0.30f * strength)));
  }
  if (!gap.label.empty()) {
    const float size = c.fonts.label_px;
    const float padding = c.fonts.px(4);
    const float width = text_width(c.fonts.label, size, gap.label);
    if (width + 2 * padding <= b.x - a.x) {
      // In the middle of what is visible, on a plate that keeps the hatching away from the text.
      const float x = std::floor((a.x + b.x - width) * 0.5f);
      const float y = std::floor((a.y + b.y - size) * 0.5f - 0.5f);
      c.draw.AddRectFilled({x - padding, a.y + 1}, {x + width + padding, b.y - 1},
                           to_imgui(with_alpha(c.theme.background, 0.88f)), c.fonts.px(3));
      draw_text(c.draw, c.fonts.label, size, {x, y}, to_imgui(c.theme.gap), gap.label, width + 1);
    }
  }
}

}  // namespace

void paint_gaps(const PaintContext& c) {
  for (const DrawGap& gap : c.list.gaps) paint_gap(c, gap);
  for (const DrawGap& gap : c.list.gaps) {
    if (!gap.is_selected) continue;
    draw_outline(c.draw, c.at(gap.x0 - 1, gap.y0 - 1), c.at(gap.x1 + 1, gap.y1 + 1),
                 to_imgui(c.theme.selection), std::max(1.0f, std::round(c.fonts.px(2))));
  }
}

}  // namespace lacuna
