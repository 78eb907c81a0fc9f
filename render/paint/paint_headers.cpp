// The column of process and track titles.

#include <algorithm>
#include <cmath>

#include "render/format.h"
#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr std::string_view kSeparator = " \xC2\xB7 ";  // as header_layout.cpp joins facts

/// Thin bar at the foot of a GPU track's title: how much of the visible range it is busy.
void paint_busy_bar(const PaintContext& c, ImVec2 a, ImVec2 b, float share) {
  const float x = a.x + (b.x - a.x) * std::clamp(share, 0.0f, 1.0f);
  c.draw.AddRectFilled(a, b, to_imgui(with_alpha(c.theme.gap, 0.35f)));
  c.draw.AddRectFilled(a, {x, b.y}, to_imgui(c.theme.gpu_edge));
}

void paint_process(const PaintContext& c, const DrawHeader& h) {
  const ImVec2 a(c.place.origin.x, c.at(0, h.y0).y);
  const ImVec2 b(c.place.tracks_end().x, c.at(0, h.y1).y);
  const bool hovered = c.marks.hovered_process.valid() && c.marks.hovered_process == h.process &&
                       !c.marks.hovered_track.valid();
  c.draw.AddRectFilled(a, b, to_imgui(hovered ? c.theme.raised : c.theme.process_band));
  c.draw.AddLine({a.x, b.y - 0.5f}, {b.x, b.y - 0.5f}, to_imgui(c.theme.border));
  if (h.is_gpu) {
    c.draw.AddRectFilled(a, {a.x + c.fonts.px(3), b.y}, to_imgui(c.theme.gpu_edge));
  }
  const float middle = std::round((a.y + b.y) * 0.5f);
  paint_triangle(c.draw, {a.x + c.fonts.px(15), middle}, c.fonts.px(4), !h.is_collapsed,
                 to_imgui(c.theme.muted));

  const float x = a.x + c.fonts.px(26);
  const float title_px = c.fonts.strong_px;
  const float room = b.x - x - c.fonts.px(12);
  const float used = draw_text(c.draw, c.fonts.strong, title_px, {x, middle - title_px * 0.5f - 1},
                               to_imgui(c.theme.text), h.title, room);
  const float gap = c.fonts.px(12);
  draw_text(c.draw, c.fonts.label, c.fonts.label_px,
            {x + used + gap, middle - c.fonts.label_px * 0.5f - 0.5f}, to_imgui(c.theme.muted),
            h.detail, room - used - gap);
}

void paint_group(const PaintContext& c, const DrawHeader& h) {
  const ImVec2 a(c.place.origin.x, c.at(0, h.y0).y);
  const ImVec2 b(c.place.tracks_end().x, c.at(0, h.y1).y);
  c.draw.AddRectFilled(a, b, to_imgui(mix(c.theme.panel, c.theme.accent, 0.14f)));
  c.draw.AddLine({a.x, b.y - 0.5f}, {b.x, b.y - 0.5f}, to_imgui(c.theme.border));
  const float size = c.fonts.label_px;
  draw_text(c.draw, c.fonts.label, size,
            {a.x + c.fonts.px(10), std::round((a.y + b.y - size) * 0.5f) - 1}, to_imgui(c.theme.text),
            h.title, b.x - a.x - c.fonts.px(20));
}

void paint_track(const PaintContext& c, const DrawHeader& h) {
  const ImVec2 a(c.place.origin.x, c.at(0, h.y0).y);
  const ImVec2 b(c.place.tracks().x, c.at(0, h.y1).y);
  if (c.marks.hovered_track.valid() && c.marks.hovered_track == h.track &&
      h.kind == DrawHeader::Kind::kTrack) {
    c.draw.AddRectFilled(a, b, to_imgui(c.theme.raised));
  }
  if (h.is_gpu) {
    c.draw.AddRectFilled(a, {a.x + c.fonts.px(3), b.y}, to_imgui(c.theme.gpu_edge));
  }
  const float left = a.x + c.fonts.px(12 + 14 * static_cast<float>(h.indent));
  const float right = b.x - c.fonts.px(10);
  const float title_px = c.fonts.ui_px;
  const float detail_px = c.fonts.label_px;
  const bool has_two_lines = !h.detail.empty() && h.y1 - h.y0 >= title_px + detail_px + c.fonts.px(10);

  // The title of a tall track stays in view while its top is scrolled away.
  const float text_px = title_px + (has_two_lines ? detail_px + c.fonts.px(3) : 0);
  const float top = std::clamp(c.place.tracks().y, a.y, std::max(a.y, b.y - text_px - c.fonts.px(12)));
  float y = std::round(top + c.fonts.px(5));
  if (!has_two_lines && h.y1 - h.y0 < c.fonts.px(30)) {
    y = std::round((a.y + b.y - title_px) * 0.5f) - 1;
  }
  if (h.can_collapse) {
    paint_triangle(c.draw, {left + c.fonts.px(4), y + title_px * 0.5f + 1}, c.fonts.px(3.5f),
                   !h.is_collapsed, to_imgui(c.theme.muted));
  }
  const float x = left + c.fonts.px(14);
  if (has_two_lines) {
    draw_text(c.draw, c.fonts.ui, title_px, {x, y}, to_imgui(c.theme.text), h.title, right - x);
    draw_text(c.draw, c.fonts.label, detail_px, {x, y + title_px + c.fonts.px(3)},
              to_imgui(c.theme.muted), h.detail, right - x);
  } else {
    // Beside the title, if need be without what comes after the first dot.
    const float room = right - x - text_width(c.fonts.ui, title_px, h.title) - c.fonts.px(10);
    std::string_view detail = h.detail;
    float detail_width = text_width(c.fonts.label, detail_px, detail);
    if (detail_width > room) {
      detail = detail.substr(0, detail.find(kSeparator));
      detail_width = text_width(c.fonts.label, detail_px, detail);
    }
    draw_text(c.draw, c.fonts.ui, title_px, {x, y}, to_imgui(c.theme.text), h.title, right - x);
    if (detail_width <= room) {
      draw_text(c.draw, c.fonts.label, detail_px,
                {right - detail_width, y + (title_px - detail_px) * 0.5f}, to_imgui(c.theme.muted),
                detail, detail_width + 1);
    }
  }
  if (h.busy_share >= 0 && h.y1 - h.y0 > c.fonts.px(20)) {
    const float thickness = std::max(2.0f, std::round(c.fonts.px(2)));
    paint_busy_bar(c, {x, b.y - thickness - 1}, {right, b.y - 1}, h.busy_share);
  }
}

}  // namespace

void paint_triangle(ImDrawList& draw, ImVec2 centre, float size, bool is_open, ImU32 colour) {
  if (is_open) {
    draw.AddTriangleFilled({centre.x - size, centre.y - size * 0.6f},
                           {centre.x + size, centre.y - size * 0.6f},
                           {centre.x, centre.y + size * 0.8f}, colour);
  } else {
    draw.AddTriangleFilled({centre.x - size * 0.6f, centre.y - size},
                           {centre.x + size * 0.8f, centre.y},
                           {centre.x - size * 0.6f, centre.y + size}, colour);
  }
}

void paint_headers(const PaintContext& c) {
  const ImVec2 a(c.place.origin.x, c.place.tracks().y);
  const ImVec2 b(c.place.tracks().x, c.place.tracks_end().y);
  c.draw.PushClipRect(a, b, true);
  c.draw.AddRectFilled(a, b, to_imgui(c.theme.panel));
  for (const DrawHeader& h : c.list.headers) {
    if (h.kind == DrawHeader::Kind::kTrack || h.kind == DrawHeader::Kind::kExtra) paint_track(c, h);
  }
  c.draw.AddLine({b.x - 0.5f, a.y}, {b.x - 0.5f, b.y}, to_imgui(c.theme.border));
  c.draw.PopClipRect();

  // Process bands run over the whole width.
  c.draw.PushClipRect(a, c.place.tracks_end(), true);
  for (const DrawHeader& h : c.list.headers) {
    if (h.kind == DrawHeader::Kind::kProcess) paint_process(c, h);
    if (h.kind == DrawHeader::Kind::kGroup) paint_group(c, h);
  }
  c.draw.PopClipRect();
}

}  // namespace lacuna
