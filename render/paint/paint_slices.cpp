// Slices and their labels, instants.

#include <algorithm>
#include <cmath>

#include "render/paint/paint_parts.h"
#include "render/paint/short_name.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kLabelPadding = 4;
constexpr float kLit = 0.22f;      // how much brighter (in the light theme: darker) slices of the hovered name are
constexpr float kFaintest = 0.6f;  // how far the colour of nearly empty stretches fades

/// Fill after highlighting: while a name is chosen, others fade into the background.
Rgba fill_of(const PaintContext& c, const DrawSlice& s) {
  if (s.is_dimmed) return dimmed_fill(c.theme, s.fill);
  // Names of stretches are no work: what the GPU did stands out beside them.
  if (s.is_annotation) {
    const bool is_lit = s.slice == c.marks.hovered || (c.marks.lit_name.valid() && s.name == c.marks.lit_name);
    return mix(s.fill, c.theme.background, is_lit ? 0.5f : 0.72f);
  }
  if (c.marks.lit_name.valid() && s.name == c.marks.lit_name)
    return mix(s.fill, c.theme.dark ? 0xFFFFFFFFu : 0x000000FFu, kLit);
  // Slices too small to be drawn alone: the emptier their stretch, the fainter.
  if (s.folded > 1 && s.coverage < 1) {
    return mix(s.fill, c.theme.background, kFaintest * (1 - std::max(s.coverage, 0.0f)));
  }
  if (s.slice == c.marks.hovered && s.folded == 1) {
    return mix(s.fill, c.theme.dark ? 0xFFFFFFFFu : 0x000000FFu, 0.14f);
  }
  return s.fill;
}

/// Neighbours of one lane are told apart by a hairline, as long as they have width to give.
float visible_x1(const DrawSlice& s) {
  return s.x1 - s.x0 >= 3 ? s.x1 - 1 : s.x1;
}

void paint_fills(const PaintContext& c) {
  RectBatch batch(c.draw);
  const float edge = std::max(1.0f, std::round(c.fonts.px(2)));
  for (const DrawSlice& s : c.list.slices) {
    const Rgba fill = fill_of(c, s);
    const ImVec2 a = c.at(s.x0, s.y0);
    const ImVec2 b = c.at(visible_x1(s), s.y1);
    batch.add(a, b, to_imgui(fill));
    if (s.is_annotation && b.y - a.y >= 4 * edge && !s.is_dimmed) {
      batch.add(a, {b.x, a.y + std::max(1.0f, edge * 0.5f)}, to_imgui(s.fill));
    } else if (s.is_gpu && b.y - a.y >= 4 * edge && !s.is_dimmed) {
      // GPU activity carries a darker foot, so that it reads as another kind of lane.
      batch.add({a.x, b.y - edge}, b, to_imgui(mix(fill, 0x000000FFu, 0.30f)));
    }
    if (s.is_unfinished && b.x - a.x > 6) {
      batch.add({b.x - 3, a.y}, b, to_imgui(c.theme.warning));
    }
  }
}

/// Readable on what fill_of made of the fill.
Rgba label_colour(const PaintContext& c, const DrawSlice& s) {
  if (s.is_dimmed) return c.theme.muted;
  return s.is_annotation || (c.marks.lit_name.valid() && s.name == c.marks.lit_name) ? Palette::label_on(fill_of(c, s))
                                                                                     : s.text;
}

void paint_slice_label(const PaintContext& c, const DrawSlice& s) {
  const float padding = c.fonts.px(kLabelPadding);
  const float room = s.label_x1 - s.label_x0 - 2 * padding;
  const std::string outer = s.outer > 1 ? std::to_string(s.outer) + " outer frames" : std::string();
  const std::string_view name = outer.empty() ? c.input.data.trace->name(s.slice) : outer;
  const float size = c.fonts.label_px;
  FittedText fitted = fit_text(c.fonts.label, size, name, room);
  const std::string_view text = fitted.elided || fitted.text.empty() ? short_name(name) : name;
  const float height = s.y1 - s.y0;
  if (height < size) return;
  const float foot = s.is_gpu ? c.fonts.px(1) : 0;
  const ImVec2 position = c.at(s.label_x0 + padding, s.y0 + (height - foot - size) * 0.5f - 0.5f);
  const Rgba colour = label_colour(c, s);
  draw_text(c.draw, c.fonts.label, size, position, to_imgui(colour), text, room);
}

}  // namespace

void paint_slices(const PaintContext& c) {
  paint_fills(c);
  for (const DrawSlice& s : c.list.slices) {
    if (s.has_label) paint_slice_label(c, s);
  }
  if (c.marks.lit_name.valid()) {
    // A frame as well, which is seen on slices that are bright already.
    for (const DrawSlice& s : c.list.slices)
      if (s.name == c.marks.lit_name && !s.is_dimmed && visible_x1(s) - s.x0 >= 4)
        draw_outline(c.draw, c.at(s.x0, s.y0), c.at(visible_x1(s), s.y1), to_imgui(with_alpha(c.theme.text, 0.7f)), 1);
  }
  // Outlines last, over neighbours and children.
  const float width = std::max(1.0f, std::round(c.fonts.px(2)));
  for (const DrawSlice& s : c.list.slices) {
    if (!s.is_selected) continue;
    const float grow = width * 0.5f;
    const ImVec2 a = c.at(s.x0, s.y0);
    const ImVec2 b = c.at(std::max(visible_x1(s), s.x0 + 1), s.y1);
    draw_outline(c.draw, {a.x - grow - 1, a.y - grow - 1}, {b.x + grow + 1, b.y + grow + 1},
                 to_imgui(c.theme.background), 1);
    draw_outline(c.draw, {a.x - grow, a.y - grow}, {b.x + grow, b.y + grow}, to_imgui(c.theme.selection), width);
  }
}

void paint_instants(const PaintContext& c) {
  const float size = c.fonts.px(3);
  RectBatch dense(c.draw);
  for (const DrawInstant& i : c.list.instants) {
    const ImVec2 top = c.at(i.x, i.y0);
    const ImVec2 foot = c.at(i.x, i.y1);
    const float end = std::min(foot.y, top.y + size * 1.8f);
    if (i.is_selected) {
      const float reach = size * 2;
      c.draw.AddTriangleFilled({top.x - reach, top.y - 1}, {top.x + reach, top.y - 1}, {top.x, end + size},
                               to_imgui(c.theme.selection));
    }
    if (i.folded > 1) {
      // Many at one place get a stem only, so that dense stretches do not grow into a bar.
      const float half = std::max(0.5f, size * 0.2f);
      dense.add({top.x - half, top.y}, {top.x + half, end}, to_imgui(with_alpha(c.theme.instant, 0.5f)));
      continue;
    }
    c.draw.AddTriangleFilled({top.x - size, top.y}, {top.x + size, top.y}, {top.x, end},
                             to_imgui(with_alpha(c.theme.instant, 0.85f)));
  }
}

}  // namespace lacuna
