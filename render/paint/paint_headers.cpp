// The column of process and track titles.

#include <algorithm>
#include <cmath>

#include "model/causes/gap_cause.h"
#include "render/format.h"
#include "render/paint/hatch.h"
#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr std::string_view kSeparator = " \xC2\xB7 ";  // as header_layout.cpp joins facts
constexpr float kProcessTitlePx = 26;
constexpr float kProcessEndPx = 12;

/// Thin bar at the foot of a GPU track's title: how much of the visible range it is busy.
void paint_busy_bar(const PaintContext& c, ImVec2 a, ImVec2 b, float share) {
  const float x = a.x + (b.x - a.x) * std::clamp(share, 0.0f, 1.0f);
  c.draw.AddRectFilled(a, b, to_imgui(with_alpha(c.theme.gap, 0.35f)));
  c.draw.AddRectFilled(a, {x, b.y}, to_imgui(c.theme.gpu_edge));
}

void paint_detail(const PaintContext& c, const DrawHeader& h) {
  const HeaderDetail detail = header_detail(c.fonts, c.place, h);
  if (!detail.text.empty())
    draw_text(c.draw, c.fonts.label, c.fonts.label_px, detail.at, to_imgui(c.theme.muted), detail.text, detail.max_px);
}

/// Beside the title of a process, which may take all of the room.
HeaderDetail process_detail(const Fonts& fonts, const TimelinePlace& place, const DrawHeader& h) {
  const float x = place.origin.x + fonts.px(kProcessTitlePx);
  const float middle = std::round((place.tracks().y * 2 + h.y0 + h.y1) * 0.5f);
  const float room = place.tracks_end().x - x - fonts.px(kProcessEndPx);
  const float used = fit_text(fonts.strong, fonts.strong_px, h.title, room).width_px;
  const float gap = fonts.px(12);
  return {{x + used + gap, middle - fonts.label_px * 0.5f - 0.5f}, room - used - gap, h.detail};
}

/// What the title of a track and its detail need.
struct TrackTitle {
  float x = 0, right = 0, y = 0;
  bool has_two_lines = false;
};

TrackTitle track_title(const Fonts& fonts, const TimelinePlace& place, const DrawHeader& h) {
  TrackTitle title;
  const float top_px = place.tracks().y + h.y0, end_px = place.tracks().y + h.y1;
  const float left = place.origin.x + fonts.px(12 + 14 * static_cast<float>(h.indent));
  title.x = left + fonts.px(14);
  title.right = place.tracks().x - fonts.px(10);
  title.has_two_lines = !h.detail.empty() && h.y1 - h.y0 >= fonts.ui_px + fonts.label_px + fonts.px(10);
  // The title of a tall track stays in view while its top is scrolled away.
  const float text_px = fonts.ui_px + (title.has_two_lines ? fonts.label_px + fonts.px(3) : 0);
  const float top = std::clamp(place.tracks().y, top_px, std::max(top_px, end_px - text_px - fonts.px(12)));
  title.y = std::round(top + fonts.px(5));
  if (!title.has_two_lines && h.y1 - h.y0 < fonts.px(30))
    title.y = std::round((top_px + end_px - fonts.ui_px) * 0.5f) - 1;
  return title;
}

HeaderDetail track_detail(const Fonts& fonts, const TimelinePlace& place, const DrawHeader& h) {
  const TrackTitle title = track_title(fonts, place, h);
  if (title.has_two_lines) return {{title.x, title.y + fonts.ui_px + fonts.px(3)}, title.right - title.x, h.detail};
  // Beside the title, if need be without what comes after the first dot.
  const float room = title.right - title.x - text_width(fonts.ui, fonts.ui_px, h.title) - fonts.px(10);
  std::string_view detail = h.detail;
  float width = text_width(fonts.label, fonts.label_px, detail);
  if (width > room) {
    detail = detail.substr(0, detail.find(kSeparator));
    width = text_width(fonts.label, fonts.label_px, detail);
  }
  if (width > room) return {};
  return {{title.right - width, title.y + (fonts.ui_px - fonts.label_px) * 0.5f}, width + 1, detail};
}

/// What the colours and patterns of the gaps in view say, at the right end of their GPU's band; as many as have room.
void paint_legend(const PaintContext& c, const DrawHeader& h, float left, float right, float middle) {
  const float size = c.fonts.label_px;
  const float swatch = std::round(c.fonts.px(11));
  const float space = c.fonts.px(14);
  float needed = 0;
  std::size_t shown = 0;
  for (const DrawCause& cause : h.causes) {
    if (cause.px < 1) break;
    const float width = swatch + c.fonts.px(5) + text_width(c.fonts.label, size, cause_name(cause.cause)) + space;
    if (needed + width > right - left) break;
    needed += width;
    ++shown;
  }
  float x = std::round(right - needed + space);
  for (std::size_t i = 0; i < shown; ++i) {
    const GapCause cause = h.causes[i].cause;
    const Rgba colour = c.theme.gap_colour(cause);
    const ImVec2 a(x, std::round(middle - swatch * 0.5f)), b(x + swatch, std::round(middle - swatch * 0.5f) + swatch);
    c.draw.AddRectFilled(a, b, to_imgui(with_alpha(colour, 0.34f)));
    hatch(c.draw, a, b, c.fonts.px(4), 0, cause, to_imgui(colour));
    draw_outline(c.draw, a, b, to_imgui(with_alpha(colour, 0.7f)), 1);
    x += swatch + c.fonts.px(5);
    const std::string_view name = cause_name(cause);
    const float width = text_width(c.fonts.label, size, name);
    draw_text(c.draw, c.fonts.label, size, {x, middle - size * 0.5f - 0.5f}, to_imgui(c.theme.muted), name, width + 1);
    x += width + space;
  }
}

void paint_process(const PaintContext& c, const DrawHeader& h) {
  const ImVec2 a(c.place.origin.x, c.at(0, h.y0).y);
  const ImVec2 b(c.place.tracks_end().x, c.at(0, h.y1).y);
  const bool hovered =
      c.marks.hovered_process.valid() && c.marks.hovered_process == h.process && !c.marks.hovered_track.valid();
  c.draw.AddRectFilled(a, b, to_imgui(hovered ? c.theme.raised : c.theme.process_band));
  c.draw.AddLine({a.x, b.y - 0.5f}, {b.x, b.y - 0.5f}, to_imgui(c.theme.border));
  if (h.is_gpu) {
    c.draw.AddRectFilled(a, {a.x + c.fonts.px(3), b.y}, to_imgui(c.theme.gpu_edge));
  }
  const float middle = std::round((a.y + b.y) * 0.5f);
  paint_triangle(c.draw, {a.x + c.fonts.px(15), middle}, c.fonts.px(4), !h.is_collapsed, to_imgui(c.theme.muted));

  const float x = a.x + c.fonts.px(kProcessTitlePx);
  const float title_px = c.fonts.strong_px;
  draw_text(c.draw, c.fonts.strong, title_px, {x, middle - title_px * 0.5f - 1}, to_imgui(c.theme.text), h.title,
            b.x - x - c.fonts.px(kProcessEndPx));
  paint_detail(c, h);
  if (h.causes.empty()) return;
  const HeaderDetail detail = header_detail(c.fonts, c.place, h);
  const float used = text_width(c.fonts.label, c.fonts.label_px, detail.text);
  paint_legend(c, h, detail.at.x + used + c.fonts.px(24), b.x - c.fonts.px(kProcessEndPx), middle);
}

void paint_group(const PaintContext& c, const DrawHeader& h) {
  const ImVec2 a(c.place.origin.x, c.at(0, h.y0).y);
  const ImVec2 b(c.place.tracks_end().x, c.at(0, h.y1).y);
  c.draw.AddRectFilled(a, b, to_imgui(mix(c.theme.panel, c.theme.accent, 0.14f)));
  c.draw.AddLine({a.x, b.y - 0.5f}, {b.x, b.y - 0.5f}, to_imgui(c.theme.border));
  const float size = c.fonts.label_px;
  draw_text(c.draw, c.fonts.label, size, {a.x + c.fonts.px(10), std::round((a.y + b.y - size) * 0.5f) - 1},
            to_imgui(c.theme.text), h.title, b.x - a.x - c.fonts.px(20));
}

void paint_track(const PaintContext& c, const DrawHeader& h) {
  const ImVec2 a(c.place.origin.x, c.at(0, h.y0).y);
  const ImVec2 b(c.place.tracks().x, c.at(0, h.y1).y);
  if (c.marks.hovered_track.valid() && c.marks.hovered_track == h.track && h.kind == DrawHeader::Kind::kTrack) {
    c.draw.AddRectFilled(a, b, to_imgui(c.theme.raised));
  }
  if (h.is_gpu) {
    c.draw.AddRectFilled(a, {a.x + c.fonts.px(3), b.y}, to_imgui(c.theme.gpu_edge));
  }
  const TrackTitle title = track_title(c.fonts, c.place, h);
  if (h.can_collapse) {
    paint_triangle(c.draw, {title.x - c.fonts.px(10), title.y + c.fonts.ui_px * 0.5f + 1}, c.fonts.px(3.5f),
                   !h.is_collapsed, to_imgui(c.theme.muted));
  }
  draw_text(c.draw, c.fonts.ui, c.fonts.ui_px, {title.x, title.y}, to_imgui(c.theme.text), h.title,
            title.right - title.x);
  paint_detail(c, h);
  if (h.busy_share >= 0 && h.y1 - h.y0 > c.fonts.px(20)) {
    const float thickness = std::max(2.0f, std::round(c.fonts.px(2)));
    paint_busy_bar(c, {title.x, b.y - thickness - 1}, {title.right, b.y - 1}, h.busy_share);
  }
}

}  // namespace

HeaderDetail header_detail(const Fonts& fonts, const TimelinePlace& place, const DrawHeader& header) {
  const bool is_process = header.kind == DrawHeader::Kind::kProcess;
  return is_process ? process_detail(fonts, place, header) : track_detail(fonts, place, header);
}

void paint_triangle(ImDrawList& draw, ImVec2 centre, float size, bool is_open, ImU32 colour) {
  if (is_open) {
    draw.AddTriangleFilled({centre.x - size, centre.y - size * 0.6f}, {centre.x + size, centre.y - size * 0.6f},
                           {centre.x, centre.y + size * 0.8f}, colour);
  } else {
    draw.AddTriangleFilled({centre.x - size * 0.6f, centre.y - size}, {centre.x + size * 0.8f, centre.y},
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
