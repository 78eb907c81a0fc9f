// Idle intervals of GPU streams: hatched, with their length where it fits.

#include <algorithm>
#include <cmath>

#include "render/format.h"
#include "render/paint/hatch.h"
#include "render/paint/paint_parts.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kHatchStep = 7;    // design pixels between two lines
constexpr float kGapFill = 0.34f;  // opacity of the fill of a gap as long as the view

/// Parallel lines that rise (or fall) to the right, cut exactly at the rectangle, so that no clip
/// rectangle (and no draw call) per gap is needed. `phase` moves the pattern with the gap when the
/// view pans.
void slanted(ImDrawList& draw, ImVec2 a, ImVec2 b, float step, float phase, bool rises, ImU32 colour) {
  const float height = b.y - a.y;
  float x = a.x - height - std::fmod(height, step) + phase;
  for (; x < b.x; x += step) {
    // The line from (x, one edge) to (x + height, the other).
    const float left = std::max(x, a.x);
    const float right = std::min(x + height, b.x);
    if (right - left < 1) continue;
    if (rises) {
      draw.AddLine({left, b.y - (left - x)}, {right, b.y - (right - x)}, colour, 1.0f);
    } else {
      draw.AddLine({left, a.y + (left - x)}, {right, a.y + (right - x)}, colour, 1.0f);
    }
  }
}

void upright(ImDrawList& draw, ImVec2 a, ImVec2 b, float step, float phase, ImU32 colour) {
  for (float x = a.x + phase; x < b.x; x += step) {
    if (x > a.x) draw.AddLine({x, a.y}, {x, b.y}, colour, 1.0f);
  }
}

void level(ImDrawList& draw, ImVec2 a, ImVec2 b, float step, ImU32 colour) {
  for (float y = a.y + std::round(step * 0.5f); y < b.y; y += step) draw.AddLine({a.x, y}, {b.x, y}, colour, 1.0f);
}

}  // namespace

void hatch(ImDrawList& draw, ImVec2 a, ImVec2 b, float step, float phase, GapCause cause, ImU32 colour) {
  switch (cause) {
    case GapCause::kLaunchBound:
      return slanted(draw, a, b, step, phase, true, colour);
    case GapCause::kSynchronisation:
      return slanted(draw, a, b, step, phase, false, colour);
    case GapCause::kDataLoading:
      return upright(draw, a, b, step, phase, colour);
    case GapCause::kBlockingCopy:
      slanted(draw, a, b, step, phase, false, colour);
      return level(draw, a, b, step, colour);
    case GapCause::kFirstUse:
      slanted(draw, a, b, step, phase, true, colour);
      return level(draw, a, b, step, colour);
    case GapCause::kAllocation:
      slanted(draw, a, b, step, phase, true, colour);
      return upright(draw, a, b, step * 2, phase, colour);
    case GapCause::kFullQueue:
      slanted(draw, a, b, step, phase, false, colour);
      return upright(draw, a, b, step * 2, phase, colour);
    case GapCause::kNotScheduled:
      return level(draw, a, b, step * 1.5f, colour);
    case GapCause::kHostCallback:
      upright(draw, a, b, step * 2, phase, colour);
      return level(draw, a, b, step * 0.6f, colour);
    case GapCause::kInsideGraph:
      return slanted(draw, a, b, step * 2, phase, false, colour);
    case GapCause::kNotRecorded:
      return upright(draw, a, b, step * 3, phase, colour);
    case GapCause::kDependency:
      return level(draw, a, b, step * 0.6f, colour);
    case GapCause::kCommunication:
      slanted(draw, a, b, step, phase, true, colour);
      return slanted(draw, a, b, step, phase, false, colour);
    case GapCause::kLateRank:
      slanted(draw, a, b, step * 2, phase, true, colour);
      return slanted(draw, a, b, step * 2, phase, false, colour);
    case GapCause::kProfilerOverhead:
      upright(draw, a, b, step, phase, colour);
      return level(draw, a, b, step, colour);
    case GapCause::kKernelSpacing:
      return upright(draw, a, b, step * 2, phase, colour);
    case GapCause::kOutsideSteps:
      return;
    case GapCause::kUnknown:
      return slanted(draw, a, b, step * 2, phase, true, colour);
  }
}

namespace {

void paint_gap_label(const PaintContext& c, const DrawGap& gap, ImVec2 a, ImVec2 b, Rgba colour) {
  const float size = c.fonts.label_px;
  const float padding = c.fonts.px(4);
  const float space = c.fonts.px(6);
  const std::string_view cause = cause_name(gap.cause);
  const float number = text_width(c.fonts.label, size, gap.label);
  const float word = gap.shows_cause ? text_width(c.fonts.label, size, cause) + space : 0;
  const bool has_room = number + word + 2 * padding <= b.x - a.x;
  if (!has_room && number + 2 * padding > b.x - a.x) return;
  const float width = has_room ? number + word : number;
  // In the middle of what is visible, on a plate that keeps the hatching away from the text.
  const float x = std::floor((a.x + b.x - width) * 0.5f);
  const float y = std::floor((a.y + b.y - size) * 0.5f - 0.5f);
  c.draw.AddRectFilled({x - padding, a.y + 1}, {x + width + padding, b.y - 1},
                       to_imgui(with_alpha(c.theme.background, 0.88f)), c.fonts.px(3));
  draw_text(c.draw, c.fonts.label, size, {x, y}, to_imgui(colour), gap.label, number + 1);
  if (has_room && gap.shows_cause) {
    draw_text(c.draw, c.fonts.label, size, {x + number + space, y}, to_imgui(mix(c.theme.muted, colour, 0.5f)), cause,
              word + 1);
  }
}

void paint_gap(const PaintContext& c, const DrawGap& gap) {
  const ImVec2 a = c.at(gap.x0, gap.y0);
  const ImVec2 b = c.at(gap.x1, gap.y1);
  const Rgba colour = gap.has_cause ? c.theme.gap_colour(gap.cause) : c.theme.gap;
  const float strength = (0.45f + 0.55f * std::clamp(gap.intensity, 0.0f, 1.0f)) * (gap.is_dimmed ? 0.3f : 1.0f);
  // Idle time is what the window is for: it stands out more than the kernels beside it.
  const float fill_alpha = kGapFill * strength;
  c.draw.AddRectFilled(a, b, to_imgui(with_alpha(colour, fill_alpha)));
  if (!gap.is_dimmed && b.x - a.x >= 2) {
    const float edge = std::max(1.0f, std::round(c.fonts.px(1.5f)));
    c.draw.AddRectFilled({a.x, b.y - edge}, b, to_imgui(with_alpha(colour, 0.5f + 0.5f * strength)));
  }

  const float step = c.fonts.px(kHatchStep);
  if (b.x - a.x >= 3) {
    const double start_x = c.input.view.x_of(gap.start);
    const auto phase = static_cast<float>(std::fmod(start_x - gap.x0, static_cast<double>(step)));
    const GapCause pattern = gap.has_cause ? gap.cause : GapCause::kLaunchBound;
    hatch(c.draw, a, b, step, phase, pattern,
          to_imgui(with_alpha(colour, gap.is_dimmed ? 0.12f : 0.22f + 0.36f * strength)));
  }
  if (!gap.label.empty() && !gap.is_dimmed) paint_gap_label(c, gap, a, b, colour);
}

}  // namespace

void paint_gap_names(const PaintContext& c) {
  for (const DrawGap& gap : c.list.gaps) {
    if (!gap.is_longest || !gap.label.empty()) continue;
    const Rgba colour = gap.has_cause ? c.theme.gap_colour(gap.cause) : c.theme.gap;
    std::string text = format_duration(gap.end - gap.start);
    if (gap.has_cause) text.append(" ").append(cause_name(gap.cause));
    const float size = c.fonts.label_px;
    const float padding = c.fonts.px(4);
    const float width = text_width(c.fonts.label, size, text);
    const ImVec2 a = c.at(gap.x0, gap.y0);
    const ImVec2 b = c.at(gap.x1, gap.y1);
    const float least = c.place.tracks().x + padding;
    const float most = c.place.tracks_end().x - width - padding;
    if (most < least) continue;
    // Over its neighbours, tied to the gap by a frame of its colour.
    const float x = std::floor(std::clamp((a.x + b.x - width) * 0.5f, least, most));
    const ImVec2 from(x - padding, a.y), to(x + width + padding, b.y);
    c.draw.AddRectFilled(from, to, to_imgui(with_alpha(c.theme.background, 0.92f)), c.fonts.px(3));
    c.draw.AddRectFilled({std::max(a.x, least - padding), b.y - c.fonts.px(2)}, {b.x, b.y}, to_imgui(colour));
    draw_outline(c.draw, from, to, to_imgui(with_alpha(colour, 0.8f)), 1);
    draw_text(c.draw, c.fonts.label, size, {x, std::floor((a.y + b.y - size) * 0.5f - 0.5f)}, to_imgui(colour), text,
              width + 1);
  }
}

void paint_gaps(const PaintContext& c) {
  for (const DrawGap& gap : c.list.gaps) paint_gap(c, gap);
  for (const DrawGap& gap : c.list.gaps) {
    if (!gap.is_selected) continue;
    draw_outline(c.draw, c.at(gap.x0 - 1, gap.y0 - 1), c.at(gap.x1 + 1, gap.y1 + 1), to_imgui(c.theme.selection),
                 std::max(1.0f, std::round(c.fonts.px(2))));
  }
}

}  // namespace lacuna
