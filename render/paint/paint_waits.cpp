// The way from a launch to its start, and dead windows of annotations.

#include <algorithm>
#include <cmath>

#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kBarPx = 5;

/// Words on a plate below the bar, inside the view.
void paint_words(const PaintContext& c, float x0, float x1, float y, std::string_view words, Rgba colour) {
  const float size = c.fonts.label_px;
  const float padding = c.fonts.px(4);
  const float room = c.place.width_px - 2 * padding;
  const float width = std::min(room, text_width(c.fonts.label, size, words));
  const float least = c.place.tracks().x + padding;
  const float x = std::floor(std::clamp((x0 + x1 - width) * 0.5f, least, std::max(least, least + room - width)));
  c.draw.AddRectFilled({x - padding, y}, {x + width + padding, y + size + c.fonts.px(3)}, to_imgui(c.theme.raised),
                       c.fonts.px(3));
  draw_text(c.draw, c.fonts.label, size, {x, y + c.fonts.px(1)}, to_imgui(colour), words, width + 1);
}

}  // namespace

void paint_waits(const PaintContext& c) {
  const float bar = std::max(3.0f, std::round(c.fonts.px(kBarPx)));
  float line = 0;
  for (const DrawWait& wait : c.list.waits) {
    const Rgba colour = wait.is_queued ? c.theme.warning : c.theme.accent;
    const ImVec2 a = c.at(wait.x0, wait.y1), b = c.at(wait.x1, wait.y1);
    c.draw.AddRectFilled({a.x, a.y}, {b.x, a.y + bar}, to_imgui(with_alpha(colour, 0.45f)));
    draw_outline(c.draw, {a.x, a.y}, {b.x, a.y + bar}, to_imgui(colour), 1);
    paint_words(c, a.x, b.x, a.y + bar + c.fonts.px(2) + line, wait.label, colour);
    line += c.fonts.label_px + c.fonts.px(5);  // parts may be too short for their words
  }
}

void paint_dead_windows(const PaintContext& c) {
  for (const DrawDead& dead : c.list.dead_windows) {
    const ImVec2 a = c.at(dead.x0, dead.y0), b = c.at(dead.x1, dead.y1);
    const ImU32 colour = to_imgui(with_alpha(c.theme.warning, 0.85f));
    const float y = std::floor((a.y + b.y) * 0.5f) + 0.5f;
    const float reach = std::round(c.fonts.px(4));
    c.draw.AddLine({a.x + 1.5f, y - reach}, {a.x + 1.5f, y + reach}, colour);
    c.draw.AddLine({b.x - 0.5f, y - reach}, {b.x - 0.5f, y + reach}, colour);
    const float width = dead.label.empty() ? 0 : text_width(c.fonts.label, c.fonts.label_px, dead.label);
    const float middle = (a.x + b.x) * 0.5f;
    const float half = width > 0 ? width * 0.5f + c.fonts.px(4) : 0;
    if (middle - half > a.x + 2) c.draw.AddLine({a.x + 1, y}, {middle - half, y}, colour);
    if (middle + half < b.x - 2) c.draw.AddLine({middle + half, y}, {b.x, y}, colour);
    if (width > 0)
      draw_text(c.draw, c.fonts.label, c.fonts.label_px,
                {std::floor(middle - width * 0.5f), std::floor(y - c.fonts.label_px * 0.5f - 0.5f)},
                to_imgui(c.theme.warning), dead.label, width + 1);
  }
}

}  // namespace lacuna
