#include "render/paint/paint_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "render/format.h"
#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {

void paint_backgrounds(const PaintContext& c) {
  // The frame was cleared with the background: every layer over the whole window costs a software
  // renderer some milliseconds.
  for (const DrawHeader& h : c.list.headers) {
    if (h.kind == DrawHeader::Kind::kProcess || h.kind == DrawHeader::Kind::kGroup) continue;
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
  // Steps are upright and level: rectangles on whole pixels are as good as lines, sharper and cheaper.
  RectBatch batch(c.draw);
  const float line = std::max(1.0f, std::round(c.fonts.px(1)));
  const ImU32 colour = to_imgui(c.theme.counter);
  for (std::size_t i = 0; i < c.list.counter_steps.size(); ++i) {
    const DrawCounterStep& s = c.list.counter_steps[i];
    const float x0 = c.at(s.x0, 0).x;
    const float x1 = c.at(s.x1, 0).x;
    const float y = std::round(c.at(0, s.y).y);
    const float y_low = std::round(c.at(0, s.y_low).y);
    batch.add({x0, y}, {x1, c.at(0, s.y_base).y}, to_imgui(c.theme.counter_fill));
    // Several samples in one step: the span of their values.
    if (y_low > y) batch.add({x0, y}, {x1, y_low}, to_imgui(with_alpha(c.theme.counter, 0.5f)));
    batch.add({x0, y}, {std::max(x1, x0 + 1), y + line}, colour);
    if (i > 0 && c.list.counter_steps[i - 1].track == s.track && c.list.counter_steps[i - 1].extra == s.extra) {
      const float before = std::round(c.at(0, c.list.counter_steps[i - 1].y).y);
      batch.add({x0, std::min(y, before)}, {x0 + line, std::max(y, before) + line}, colour);
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
    c.draw.AddBezierCubic(a, {a.x + reach, a.y}, {b.x - reach, b.y}, {b.x - head, b.y}, colour, width);
    c.draw.AddTriangleFilled({b.x - head * 1.4f, b.y - head * 0.8f}, {b.x - head * 1.4f, b.y + head * 0.8f}, b, colour);
  }
}

namespace {

/// A zigzag down the middle of [a, b].
void zigzag(const PaintContext& c, ImVec2 a, ImVec2 b, ImU32 colour) {
  const float step = c.fonts.px(5);
  const float x = std::round((a.x + b.x) * 0.5f);
  const float reach = std::min(step * 0.6f, (b.x - a.x) * 0.5f);
  bool is_left = true;
  for (float y = a.y; y < b.y; y += step) {
    const float from = is_left ? x - reach : x + reach;
    const float to = is_left ? x + reach : x - reach;
    c.draw.AddLine({from, y}, {to, std::min(y + step, b.y)}, colour, 1.0f);
    is_left = !is_left;
  }
}

/// Folded stretches on the ruler, with their length where it fits.
void paint_folded_ruler(const PaintContext& c) {
  for (const DrawTimeFold& fold : c.list.time_folds) {
    const ImVec2 a(c.at(fold.x0, 0).x, c.place.origin.y);
    const ImVec2 b(c.at(fold.x1, 0).x, c.place.ruler_end() - 1);
    c.draw.AddRectFilled(a, b, to_imgui(mix(c.theme.ruler, c.theme.warning, 0.25f)));
    zigzag(c, a, b, to_imgui(with_alpha(c.theme.warning, 0.8f)));
    if (fold.label.empty()) continue;
    const float width = text_width(c.fonts.label, c.fonts.label_px, fold.label);
    const float x = std::round((a.x + b.x - width) * 0.5f);
    const float y = a.y + c.fonts.px(5);
    c.draw.AddRectFilled({x - 2, y - 1}, {x + width + 2, y + c.fonts.label_px + 1}, to_imgui(c.theme.ruler));
    draw_text(c.draw, c.fonts.label, c.fonts.label_px, {x, y}, to_imgui(c.theme.warning), fold.label, width + 1);
  }
}

/// The same down the lanes.
void paint_time_folds(const PaintContext& c) {
  for (const DrawTimeFold& fold : c.list.time_folds) {
    const ImVec2 a(c.at(fold.x0, 0).x, c.place.tracks().y);
    const ImVec2 b(c.at(fold.x1, 0).x, c.place.tracks_end().y);
    c.draw.AddRectFilled(a, b, to_imgui(with_alpha(c.theme.panel, 0.85f)));
    zigzag(c, a, b, to_imgui(with_alpha(c.theme.warning, 0.45f)));
  }
}

/// The band of steps at the foot of the ruler.
void paint_steps(const PaintContext& c) {
  if (c.place.steps_px <= 0) return;
  const float top = c.place.ruler_end() - c.place.steps_px;
  const float end = c.place.ruler_end() - 1;
  bool is_odd = false;
  for (const DrawStep& step : c.list.steps) {
    const ImVec2 a(c.at(step.x0, 0).x, top);
    const ImVec2 b(c.at(step.x1, 0).x, end);
    c.draw.AddRectFilled(a, b, to_imgui(with_alpha(c.theme.accent, is_odd ? 0.16f : 0.26f)));
    c.draw.AddLine({a.x, a.y}, {a.x, b.y}, to_imgui(with_alpha(c.theme.accent, 0.7f)));
    is_odd = !is_odd;
    if (step.label.empty()) continue;
    const float left = std::max(a.x, c.place.tracks().x) + c.fonts.px(4);
    draw_text(c.draw, c.fonts.label, c.fonts.label_px, {left, std::round((top + end - c.fonts.label_px) * 0.5f) - 1},
              to_imgui(c.theme.text), step.label, b.x - left);
  }
}

}  // namespace

void paint_ruler(const PaintContext& c) {
  const ImVec2 a = c.place.origin;
  const ImVec2 b(c.place.tracks_end().x, c.place.ruler_end());
  c.draw.PushClipRect(a, b, true);
  c.draw.AddRectFilled(a, b, to_imgui(c.theme.ruler));
  for (const DrawTick& t : c.list.ticks) {
    const float x = std::floor(c.at(t.x, 0).x) + 0.5f;
    if (x < c.place.tracks().x - c.fonts.px(200)) continue;
    const float ticks_px = c.place.ruler_px - c.place.steps_px;
    const float foot = b.y - c.place.steps_px;
    const float length = t.is_major ? ticks_px * 0.45f : ticks_px * 0.2f;
    c.draw.AddLine({x, foot - length}, {x, foot}, to_imgui(with_alpha(c.theme.muted, t.is_major ? 0.6f : 0.3f)));
    if (!t.is_major || t.label.empty()) continue;
    draw_text(c.draw, c.fonts.label, c.fonts.label_px, {x + c.fonts.px(4), a.y + c.fonts.px(5)},
              to_imgui(c.theme.muted), t.label, c.fonts.px(200));
  }
  paint_steps(c);
  paint_folded_ruler(c);
  for (const float tick : c.list.match_ticks) {
    const float x = std::floor(c.at(tick, 0).x);
    c.draw.AddRectFilled({x, b.y - c.fonts.px(6)}, {x + std::max(1.0f, c.fonts.px(1.5f)), b.y},
                         to_imgui(c.theme.accent));
  }
  // The corner above the titles says how much time the view covers.
  c.draw.AddRectFilled(a, {c.place.tracks().x, b.y}, to_imgui(c.theme.panel));
  const Nanos visible = c.input.view.visible().duration();
  const std::string text = format_duration(visible) + " in view";
  draw_text(c.draw, c.fonts.label, c.fonts.label_px,
            {a.x + c.fonts.px(12), a.y + (c.place.ruler_px - c.fonts.label_px) * 0.5f}, to_imgui(c.theme.muted), text,
            c.place.header_px - c.fonts.px(24));
  c.draw.AddLine({a.x, b.y - 0.5f}, {b.x, b.y - 0.5f}, to_imgui(c.theme.border));
  c.draw.AddLine({c.place.tracks().x - 0.5f, a.y}, {c.place.tracks().x - 0.5f, b.y}, to_imgui(c.theme.border));
  c.draw.PopClipRect();
}

namespace {

void paint_area(const PaintContext& c, TimeSpan area) {
  const ImVec2 top(c.place.tracks().x, c.place.ruler_end());
  const ImVec2 end = c.place.tracks_end();
  const float x0 = std::clamp(top.x + static_cast<float>(c.input.view.x_of(area.begin)), top.x, end.x);
  const float x1 = std::clamp(top.x + static_cast<float>(c.input.view.x_of(area.end)), top.x, end.x);
  const ImU32 edge = to_imgui(c.marks.area_is_zoom ? c.theme.arrow : c.theme.accent);
  const float ruler_y = c.place.origin.y;
  c.draw.AddLine({x0, ruler_y}, {x0, end.y}, edge);
  c.draw.AddLine({x1, ruler_y}, {x1, end.y}, edge);
  c.draw.AddRectFilled({x0, top.y - c.fonts.px(3)}, {x1, top.y}, edge);

  const std::string text = format_duration(area.duration());
  const float width = text_width(c.fonts.label, c.fonts.label_px, text);
  const float padding = c.fonts.px(5);
  const float x = std::clamp((x0 + x1 - width) * 0.5f, top.x + padding, end.x - width - padding);
  const float y = ruler_y + c.fonts.px(4);
  c.draw.AddRectFilled({x - padding, y - 2}, {x + width + padding, y + c.fonts.label_px + 3}, edge, c.fonts.px(3));
  draw_text(c.draw, c.fonts.label, c.fonts.label_px, {x, y}, to_imgui(c.theme.accent_text), text, width + 1);
}

/// Where the notes of markers lie on the ruler; of the first some.
struct NoteSpans {
  std::array<std::pair<float, float>, 16> spans;
  std::size_t count = 0;
  void add(float x0, float x1) {
    if (count < spans.size()) spans[count++] = {x0, x1};
  }
};

void paint_cursor(const PaintContext& c, float cursor_x, const NoteSpans& notes) {
  const ImVec2 top(c.place.tracks().x, c.place.ruler_end());
  const float x = std::floor(top.x + cursor_x) + 0.5f;
  c.draw.AddLine({x, top.y}, {x, c.place.tracks_end().y},
                 to_imgui(c.marks.is_snapped ? c.theme.accent : c.theme.crosshair),
                 c.marks.is_snapped ? std::max(1.0f, c.fonts.px(2)) : 1.0f);
  const Nanos t = c.input.view.time_at(cursor_x);
  const std::string text = format_time(c.input.view.axis, t, time_step(c.input.view.camera.ns_per_px()));
  const float width = text_width(c.fonts.label, c.fonts.label_px, text);
  const float padding = c.fonts.px(5);
  const float least = top.x + padding;
  const float most = std::max(least, c.place.tracks_end().x - width - padding);
  float left = std::clamp(x - width * 0.5f, least, most);
  // Beside the note of a marker, not over it: on the side that the cursor is nearer to.
  for (std::size_t i = 0; i < notes.count; ++i) {
    const auto [from, to] = notes.spans[i];
    if (left - padding >= to || left + width + padding <= from) continue;
    const float before = from - width - padding - 1;
    const float behind = to + padding + 1;
    const bool goes_before = before >= least && (x < (from + to) * 0.5f || behind > most);
    if (goes_before) {
      left = before;
      break;  // what lies left of it was passed
    }
    if (behind <= most) left = behind;
  }
  const float y = c.place.origin.y + c.fonts.px(4);
  c.draw.AddRectFilled({left - padding, y - 2}, {left + width + padding, y + c.fonts.label_px + 3},
                       to_imgui(c.theme.hovered), c.fonts.px(3));
  draw_text(c.draw, c.fonts.label, c.fonts.label_px, {left, y}, to_imgui(c.theme.text), text, width + 1);
}

}  // namespace

void paint_area_rows(const PaintContext& c) {
  if (!c.marks.area || c.marks.area->empty()) return;
  const ImVec2 top = c.place.tracks();
  const ImVec2 end = c.place.tracks_end();
  const float x0 = std::clamp(top.x + static_cast<float>(c.input.view.x_of(c.marks.area->begin)), top.x, end.x);
  const float x1 = std::clamp(top.x + static_cast<float>(c.input.view.x_of(c.marks.area->end)), top.x, end.x);
  const std::span<const TrackId> chosen = c.marks.area_tracks;
  if (chosen.empty()) c.draw.AddRectFilled({x0, top.y}, {x1, end.y}, to_imgui(c.theme.area));
  if (c.marks.area_is_zoom) return;
  c.draw.AddRectFilled({top.x, top.y}, {x0, end.y}, to_imgui(c.theme.outside));
  c.draw.AddRectFilled({x1, top.y}, {end.x, end.y}, to_imgui(c.theme.outside));
  if (chosen.empty()) return;
  for (const DrawHeader& h : c.list.headers) {
    const bool is_chosen = h.track.valid() && std::ranges::find(chosen, h.track) != chosen.end();
    c.draw.AddRectFilled({x0, c.at(0, h.y0).y}, {x1, c.at(0, h.y1).y},
                         to_imgui(is_chosen ? c.theme.area : c.theme.outside));
  }
}

namespace {

void paint_marker(const PaintContext& c, const MarkerMark& marker, float& labelled_to, NoteSpans& notes) {
  const ImVec2 top(c.place.tracks().x, c.place.ruler_end());
  const float x0 = top.x + static_cast<float>(
                               std::clamp(c.input.view.x_of(marker.span.begin), -10.0, double{c.place.width_px} + 10));
  const float x1 =
      top.x + static_cast<float>(std::clamp(c.input.view.x_of(marker.span.end), -10.0, double{c.place.width_px} + 10));
  if (x1 < top.x || x0 > c.place.tracks_end().x) return;
  const Rgba colour = marker.is_temporary ? c.theme.accent : c.theme.warning;
  const ImU32 line = to_imgui(with_alpha(colour, marker.is_chosen ? 0.95f : 0.55f));
  const float bar = std::max(2.0f, std::round(c.fonts.px(marker.is_chosen ? 4 : 3)));
  c.draw.AddRectFilled({x0, c.place.origin.y}, {std::max(x1, x0 + 1), c.place.origin.y + bar}, to_imgui(colour));
  c.draw.AddLine({std::floor(x0) + 0.5f, c.place.origin.y}, {std::floor(x0) + 0.5f, c.place.tracks_end().y}, line);
  if (x1 - x0 >= 2)
    c.draw.AddLine({std::floor(x1) + 0.5f, c.place.origin.y}, {std::floor(x1) + 0.5f, c.place.tracks_end().y}, line);
  const float flag = c.fonts.px(5);
  c.draw.AddTriangleFilled({x0, c.place.origin.y}, {x0 + 1.6f * flag, c.place.origin.y + flag},
                           {x0, c.place.origin.y + 2 * flag}, to_imgui(colour));
  if (marker.label.empty()) return;
  const float size = c.fonts.label_px;
  const float padding = c.fonts.px(4);
  const float left = std::max(x0 + 2 * flag, top.x + padding);
  const float room = std::min(c.fonts.px(150), c.place.tracks_end().x - left - padding);
  if (left < labelled_to || room < size * 2) return;
  const float width = std::min(room, text_width(c.fonts.label, size, marker.label));
  const float y = c.place.origin.y + c.fonts.px(4);
  c.draw.AddRectFilled({left - padding, y - 1}, {left + width + padding, y + size + 2}, to_imgui(c.theme.raised),
                       c.fonts.px(3));
  draw_text(c.draw, c.fonts.label, size, {left, y}, to_imgui(colour), marker.label, width + 1);
  labelled_to = left + width + 3 * padding;
  notes.add(left - padding, left + width + padding);
}

}  // namespace

void paint_marks(const PaintContext& c) {
  const ImVec2 a(c.place.tracks().x, c.place.origin.y);
  c.draw.PushClipRect(a, c.place.tracks_end(), true);
  float labelled_to = 0;
  NoteSpans notes;
  for (const MarkerMark& marker : c.marks.markers) paint_marker(c, marker, labelled_to, notes);
  if (c.marks.area && !c.marks.area->empty()) paint_area(c, *c.marks.area);
  if (c.marks.cursor_x && *c.marks.cursor_x >= 0 && *c.marks.cursor_x < c.place.width_px) {
    paint_cursor(c, *c.marks.cursor_x, notes);
  }
  c.draw.PopClipRect();
}

namespace {

void paint_into_pane(const PaintContext& c, std::span<const TimelineLayer> over) {
  const TimelinePlace& place = c.place;
  c.draw.PushClipRect(place.tracks(), place.tracks_end(), true);
  paint_backgrounds(c);
  paint_gaps(c);
  paint_counters(c);
  paint_slices(c);
  paint_gap_names(c);
  paint_dead_windows(c);
  paint_memory(c);
  paint_instants(c);
  paint_path(c);
  const TimelineMarks none;
  for (const TimelineLayer& o : over) {
    const PaintContext layer{c.draw, o.list, o.input, place, none, c.theme, c.fonts};
    paint_slices(layer);
    paint_instants(layer);
  }
  c.draw.PopClipRect();
  paint_headers(c);
  c.draw.PushClipRect(place.tracks(), place.tracks_end(), true);
  paint_arrows(c);
  paint_waits(c);
  paint_time_folds(c);
  paint_area_rows(c);
  c.draw.PopClipRect();
}

}  // namespace

void paint_pane(ImDrawList& draw, const TimelineDrawList& list, const TimelineInput& input, const TimelinePlace& place,
                const TimelineMarks& marks, const Theme& theme, const Fonts& fonts) {
  paint_into_pane(PaintContext{draw, list, input, place, marks, theme, fonts}, {});
}

void paint_timeline(ImDrawList& draw, const TimelineDrawList& list, const TimelineInput& input,
                    const TimelinePlace& place, const TimelineMarks& marks, const Theme& theme, const Fonts& fonts,
                    std::span<const TimelineLayer> over) {
  const PaintContext c{draw, list, input, place, marks, theme, fonts};
  paint_into_pane(c, over);
  paint_ruler(c);
  paint_marks(c);
}

}  // namespace lacuna
