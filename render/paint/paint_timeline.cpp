#include "render/paint/paint_timeline.h"

#include <algorithm>
#include <cmath>

#include "render/format.h"
#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {

void paint_backgrounds(const PaintContext& c) {
  c.draw.AddRectFilled(c.place.tracks(), c.place.tracks_end(), to_imgui(c.theme.background));
  for (const DrawHeader& h : c.list.headers) {
    if (h.kind == DrawHeader::Kind::kProcess) continue;
    const ImVec2 a = c.at(0, h.y0);
    const ImVec2 b = c.at(c.place.width_px, h.y1);
    if (h.is_odd) c.draw.AddRectFilled(a, b, to_imgui(c.theme.track_odd));
    if (h.is_gpu) c.draw.AddRectFilled(a, b, to_imgui(c.theme.gpu_track));
  }
  for (const DrawTick& t : c.list.ticks) {
    if (!t.is_major) continue;
    const float x = std::floor(c.at(t.x, 0).x) + 0.5f;
    c.draw.AddLine({x, c.place.tracks().y}, {x, c.place.tracks_end().y}, to_imgui(c.theme.grid));
  }
}

void paint_counters(const PaintContext& c) {
  for (std::size_t i = 0; i < c.list.counter_steps.size(); ++i) {
    const DrawCounterStep& s = c.list.counter_steps[i];
    c.draw.AddRectFilled(c.at(s.x0, s.y), c.at(s.x1, s.y_base), to_imgui(c.theme.counter_fill));
    c.draw.AddLine(c.at(s.x0, s.y), c.at(s.x1, s.y), to_imgui(c.theme.counter));
    if (s.y_low > s.y) {
      // Several samples in one step: the span of their values.
      c.draw.AddRectFilled(c.at(s.x0, s.y), c.at(s.x1, s.y_low),
                           to_imgui(with_alpha(c.theme.counter, 0.5f)));
    }
    if (i > 0 && c.list.counter_steps[i - 1].track == s.track &&
        c.list.counter_steps[i - 1].extra == s.extra) {
      c.draw.AddLine(c.at(s.x0, c.list.counter_steps[i - 1].y), c.at(s.x0, s.y),
                     to_imgui(c.theme.counter));
    }
  }
}

void paint_arrows(const PaintContext& c) {
  const float thickness = std::max(1.0f, c.fonts.px(1.5f));
  const float head = c.fonts.px(5);
  for (const DrawArrow& arrow : c.list.arrows) {
    const ImU32 colour = to_imgui(with_alpha(c.theme.arrow, arrow.is_pale ? 0.35f : 1.0f));
    const float width = arrow.is_focused ? thickness * 2 : arrow.is_pale ? 1.0f : thickness;
    const ImVec2 a = c.at(arrow.x0, arrow.y0);
    const ImVec2 b = c.at(arrow.x1, arrow.y1);
    const float reach = std::clamp(std::fabs(b.x - a.x) * 0.5f, c.fonts.px(16), c.fonts.px(120));
    c.draw.AddBezierCubic(a, {a.x + reach, a.y}, {b.x - reach, b.y}, {b.x - head, b.y}, colour,
                          width);
    c.draw.AddTriangleFilled({b.x - head * 1.4f, b.y - head * 0.8f},
                             {b.x - head * 1.4f, b.y + head * 0.8f}, b, colour);
  }
}

void paint_ruler(const PaintContext& c) {
  const ImVec2 a = c.place.origin;
  const ImVec2 b(c.place.tracks_end().x, c.place.tracks().y);
  c.draw.PushClipRect(a, b, true);
  c.draw.AddRectFilled(a, b, to_imgui(c.theme.ruler));
  for (const DrawTick& t : c.list.ticks) {
    const float x = std::floor(c.at(t.x, 0).x) + 0.5f;
    if (x < c.place.tracks().x - c.fonts.px(200)) continue;
    const float length = t.is_major ? c.place.ruler_px * 0.45f : c.place.ruler_px * 0.2f;
    c.draw.AddLine({x, b.y - length}, {x, b.y},
                   to_imgui(with_alpha(c.theme.muted, t.is_major ? 0.6f : 0.3f)));
    if (!t.is_major || t.label.empty()) continue;
    draw_text(c.draw, c.fonts.label, c.fonts.label_px, {x + c.fonts.px(4), a.y + c.fonts.px(5)},
              to_imgui(c.theme.muted), t.label, c.fonts.px(200));
  }
  for (const float tick : c.list.match_ticks) {
    const float x = std::floor(c.at(tick, 0).x);
    c.draw.AddRectFilled({x, b.y - c.fonts.px(6)}, {x + std::max(1.0f, c.fonts.px(1.5f)), b.y},
                         to_imgui(c.theme.accent));
  }
  // The corner above the titles says how much time the view covers.
  c.draw.AddRectFilled(a, {c.place.tracks().x, b.y}, to_imgui(c.theme.panel));
  const Nanos visible = c.input.camera.visible(c.place.width_px).duration();
  const std::string text = format_duration(visible) + " in view";
  draw_text(c.draw, c.fonts.label, c.fonts.label_px,
            {a.x + c.fonts.px(12), a.y + (c.place.ruler_px - c.fonts.label_px) * 0.5f},
            to_imgui(c.theme.muted), text, c.place.header_px - c.fonts.px(24));
  c.draw.AddLine({a.x, b.y - 0.5f}, {b.x, b.y - 0.5f}, to_imgui(c.theme.border));
  c.draw.AddLine({c.place.tracks().x - 0.5f, a.y}, {c.place.tracks().x - 0.5f, b.y},
                 to_imgui(c.theme.border));
  c.draw.PopClipRect();
}

namespace {

void paint_area(const PaintContext& c, TimeSpan area) {
  const ImVec2 top = c.place.tracks();
  const ImVec2 end = c.place.tracks_end();
  const float x0 = std::clamp(top.x + static_cast<float>(c.input.camera.x_of(area.begin)), top.x, end.x);
  const float x1 = std::clamp(top.x + static_cast<float>(c.input.camera.x_of(area.end)), top.x, end.x);
  const ImU32 edge = to_imgui(c.marks.area_is_zoom ? c.theme.arrow : c.theme.accent);
  c.draw.AddRectFilled({x0, top.y}, {x1, end.y}, to_imgui(c.theme.area));
  if (!c.marks.area_is_zoom) {
    c.draw.AddRectFilled({top.x, top.y}, {x0, end.y}, to_imgui(c.theme.outside));
    c.draw.AddRectFilled({x1, top.y}, {end.x, end.y}, to_imgui(c.theme.outside));
  }
  const float ruler_y = c.place.origin.y;
  c.draw.AddLine({x0, ruler_y}, {x0, end.y}, edge);
  c.draw.AddLine({x1, ruler_y}, {x1, end.y}, edge);
  c.draw.AddRectFilled({x0, top.y - c.fonts.px(3)}, {x1, top.y}, edge);

  const std::string text = format_duration(area.duration());
  const float width = text_width(c.fonts.label, c.fonts.label_px, text);
  const float padding = c.fonts.px(5);
  const float x = std::clamp((x0 + x1 - width) * 0.5f, top.x + padding, end.x - width - padding);
  const float y = ruler_y + c.fonts.px(4);
  c.draw.AddRectFilled({x - padding, y - 2}, {x + width + padding, y + c.fonts.label_px + 3}, edge,
                       c.fonts.px(3));
  draw_text(c.draw, c.fonts.label, c.fonts.label_px, {x, y}, to_imgui(c.theme.accent_text), text,
            width + 1);
}

void paint_cursor(const PaintContext& c, float cursor_x) {
  const ImVec2 top = c.place.tracks();
  const float x = std::floor(top.x + cursor_x) + 0.5f;
  c.draw.AddLine({x, top.y}, {x, c.place.tracks_end().y}, to_imgui(c.theme.crosshair));
  const Nanos t = c.input.camera.time_at(cursor_x);
  const std::string text = format_duration(saturating_sub(t, c.input.time_origin));
  const float width = text_width(c.fonts.label, c.fonts.label_px, text);
  const float padding = c.fonts.px(5);
  const float left = std::clamp(x - width * 0.5f, top.x + padding,
                                std::max(top.x + padding, c.place.tracks_end().x - width - padding));
  const float y = c.place.origin.y + c.fonts.px(4);
  c.draw.AddRectFilled({left - padding, y - 2}, {left + width + padding, y + c.fonts.label_px + 3},
                       to_imgui(c.theme.hovered), c.fonts.px(3));
  draw_text(c.draw, c.fonts.label, c.fonts.label_px, {left, y}, to_imgui(c.theme.text), text,
            width + 1);
}

}  // namespace

void paint_marks(const PaintContext& c) {
  const ImVec2 a(c.place.tracks().x, c.place.origin.y);
  c.draw.PushClipRect(a, c.place.tracks_end(), true);
  if (c.marks.area && !c.marks.area->empty()) paint_area(c, *c.marks.area);
  if (c.marks.cursor_x && *c.marks.cursor_x >= 0 && *c.marks.cursor_x < c.place.width_px) {
    paint_cursor(c, *c.marks.cursor_x);
  }
  c.draw.PopClipRect();
}

void paint_timeline(ImDrawList& draw, const TimelineDrawList& list, const TimelineInput& input,
                    const TimelinePlace& place, const TimelineMarks& marks, const Theme& theme,
                    const Fonts& fonts, const TimelineLayer* over) {
  const PaintContext c{draw, list, input, place, marks, theme, fonts};
  draw.PushClipRect(place.tracks(), place.tracks_end(), true);
  paint_backgrounds(c);
  paint_gaps(c);
  paint_counters(c);
  paint_slices(c);
  paint_instants(c);
  if (over != nullptr) {
    const TimelineMarks none;
    const PaintContext layer{draw, over->list, over->input, place, none, theme, fonts};
    paint_slices(layer);
    paint_instants(layer);
  }
  draw.PopClipRect();
  paint_headers(c);
  draw.PushClipRect(place.tracks(), place.tracks_end(), true);
  paint_arrows(c);
  draw.PopClipRect();
  paint_ruler(c);
  paint_marks(c);
}

}  // namespace lacuna
