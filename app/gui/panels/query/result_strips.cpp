#include "app/gui/panels/query/result_strips.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kLanePx = 16;
constexpr float kLeastLanePx = 2;
constexpr float kStripGapPx = 6;
constexpr float kLeastStripPx = 24;
constexpr float kResultLabelPx = 24;  // narrower ones have none
constexpr float kCrossPx = 18;
constexpr std::size_t kMostTooltipColumns = 12;
constexpr std::size_t kMostTooltipCharacters = 200;
constexpr std::size_t kMostLines = 2000;  // of marks, through the tracks

/// How many rows, and what of them is not there.
std::string counts_of(const QueryView::Shown& shown) {
  const ResultTrack& track = shown.track;
  std::string words = counted(track.items, track.kind == ResultTrack::Kind::kMarks ? "mark" : "slice");
  if (track.without_time > 0) words += fmt::format("; {} without a time", counted(track.without_time, "row"));
  if (track.too_deep > 0)
    words += fmt::format("; {} found no room: they overlap too often", counted(track.too_deep, "row"));
  if (shown.answer->count > shown.answer->rows.size())
    words += fmt::format("; of {} rows the first {}", format_count(shown.answer->count),
                         format_count(shown.answer->rows.size()));
  return words;
}

}  // namespace

void ResultStrips::place_strips(const UiContext& ui, float most_px, std::vector<Strip>& out) const {
  const auto& all = view_.shown();
  out.clear();
  if (all.empty()) return;
  std::size_t lanes = 0;
  for (const QueryView::Shown& shown : all) lanes += shown.track.lanes.size();
  const float gaps = std::round(ui.px(kStripGapPx)) * static_cast<float>(all.size());
  float lane_px = std::floor((most_px - gaps) / static_cast<float>(std::max<std::size_t>(1, lanes)));
  lane_px = std::clamp(lane_px, kLeastLanePx, std::round(ui.px(kLanePx)));
  const float least = std::min(std::round(ui.px(kLeastStripPx)), std::floor(most_px / static_cast<float>(all.size())));
  float y = 0;
  for (const QueryView::Shown& shown : all) {
    Strip& strip = out.emplace_back();
    strip.y0 = y;
    strip.lane_px = lane_px;
    y += std::max(least, lane_px * static_cast<float>(shown.track.lanes.size()) + std::round(ui.px(kStripGapPx)));
    strip.y1 = y;
  }
}

float ResultStrips::height(const UiContext& ui, float most_px) const {
  if (ui.shown != nullptr) return 0;  // the trace compared with has no queries
  std::vector<Strip> strips;
  place_strips(ui, most_px, strips);
  return strips.empty() ? 0 : std::min(most_px, strips.back().y1 + 1);
}

void ResultStrips::draw(UiContext& ui, const TimelinePlace& place, ImVec2 at, float height_px) {
  is_hovered_ = false;
  if (height_px <= 0) return strips_.clear();
  place_strips(ui, height_px, strips_);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float left = place.tracks().x;
  const float right = left + place.width_px;
  for (const QueryView::Shown& shown : view_.shown())
    if (shown.track.kind == ResultTrack::Kind::kMarks) marks(ui, shown, place);
  draw.PushClipRect(at, {right, at.y + height_px}, true);
  draw.AddRectFilled(at, {left, at.y + height_px}, to_imgui(ui.theme.panel));
  draw.AddRectFilled({left, at.y}, {right, at.y + height_px}, to_imgui(ui.theme.background));
  std::uint64_t removed = 0;
  const auto& all = view_.shown();
  for (std::size_t i = 0; i < all.size() && i < strips_.size(); ++i) {
    const Strip& strip = strips_[i];
    ImGui::PushID(static_cast<int>(all[i].number));
    const ImVec2 corner{at.x, at.y + strip.y0 + 1};
    draw.AddLine({at.x, corner.y - 0.5f}, {right, corner.y - 0.5f}, to_imgui(ui.theme.border));
    if (title(ui, all[i], corner, {place.header_px, strip.y1 - strip.y0})) removed = all[i].number;
    lanes(ui, all[i], strip, {left, corner.y}, place.width_px);
    mouse(ui, all[i], strip, {left, corner.y});
    ImGui::PopID();
  }
  draw.PopClipRect();
  if (removed != 0) view_.remove(removed);
}

bool ResultStrips::title(UiContext& ui, const QueryView::Shown& shown, ImVec2 at, ImVec2 size) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float cross = ui.px(kCrossPx);
  const float y = at.y + std::round((std::min(size.y, ui.px(kLeastStripPx)) - ui.fonts.label_px) * 0.5f);
  const float indent = ui.px(8);
  draw_text(draw, ui.fonts.label, ui.fonts.label_px, {at.x + indent, y}, to_imgui(ui.theme.text), shown.title,
            size.x - indent - cross - ui.px(6));
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("title", {std::max(1.0f, size.x - cross - ui.px(4)), size.y});
  note_place(ui, "result_title");
  if (ImGui::IsItemHovered() && begin_tooltip(ui, 520)) {
    mono_text(ui, shown.answer->sql.substr(0, kMostTooltipCharacters * 4));
    muted_text(ui, counts_of(shown));
    end_tooltip();
  }
  ImGui::SetCursorScreenPos({at.x + size.x - cross - ui.px(2), at.y + 1});
  const bool is_removed = ImGui::InvisibleButton("remove", {cross, std::min(size.y, ui.px(kLeastStripPx)) - 2});
  note_place(ui, "result_remove");
  const bool is_lit = ImGui::IsItemHovered();
  const ImVec2 centre{at.x + size.x - cross * 0.5f - ui.px(2), at.y + std::min(size.y, ui.px(kLeastStripPx)) * 0.5f};
  const float arm = ui.px(3.5f);
  const ImU32 colour = to_imgui(is_lit ? ui.theme.text : ui.theme.muted);
  const float thick = std::max(1.0f, ui.px(1.3f));
  draw.AddLine({centre.x - arm, centre.y - arm}, {centre.x + arm, centre.y + arm}, colour, thick);
  draw.AddLine({centre.x - arm, centre.y + arm}, {centre.x + arm, centre.y - arm}, colour, thick);
  tooltip("Takes these rows off the timeline.");
  return is_removed;
}

void ResultStrips::lanes(UiContext& ui, const QueryView::Shown& shown, const Strip& strip, ImVec2 at, float width_px) {
  const ResultTrack& track = shown.track;
  layout_result(track, ui.workspace().view().input().view, rects_);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const bool is_marks = track.kind == ResultTrack::Kind::kMarks;
  const float top = at.y + std::round(ui.px(kStripGapPx) * 0.5f);
  const float lane_px = is_marks ? std::max(strip.lane_px, ui.px(kLanePx)) : strip.lane_px;
  const float text_px = ui.fonts.label_px;
  float last_label = at.x - 1;
  for (std::size_t i = 0; i < rects_.size(); ++i) {
    const ResultRect& rect = rects_[i];
    const ResultTrack::Item& item = track.lanes[rect.lane][rect.item];
    const std::string& name = track.names[item.name];
    const Palette::Colour& colour = ui.palette.colour(Palette::hue_of(name), CategoryClass::kKernel);
    const float y0 = top + static_cast<float>(rect.lane) * lane_px;
    const float y1 = y0 + lane_px - (lane_px > 4 ? 1 : 0);
    const float x0 = at.x + std::max(0.0f, rect.x0);
    const float x1 = at.x + std::min(width_px, rect.x1);
    if (is_marks) {
      const float x = std::floor(at.x + rect.x0) + 0.5f;
      draw.AddLine({x, y0}, {x, y1}, to_imgui(ui.theme.accent), std::max(1.0f, ui.px(1.4f)));
      const float next = i + 1 < rects_.size() ? at.x + rects_[i + 1].x0 : at.x + width_px;
      if (rect.folded == 1 && next - x > ui.px(kResultLabelPx) && x > last_label)
        last_label = x + ui.px(3) +
                     draw_text(draw, ui.fonts.label, text_px, {x + ui.px(3), y0 + (lane_px - text_px) * 0.5f},
                               to_imgui(ui.theme.muted), name, next - x - ui.px(6));
      continue;
    }
    draw.AddRectFilled({x0, y0}, {std::max(x1, x0 + 1), y1}, to_imgui(colour.fill));
    if (rect.folded == 1 && x1 - x0 > ui.px(kResultLabelPx) && lane_px >= text_px)
      draw_text(draw, ui.fonts.label, text_px, {x0 + ui.px(3), y0 + std::floor((lane_px - text_px) * 0.5f)},
                to_imgui(colour.text), name, x1 - x0 - ui.px(6));
  }
}

void ResultStrips::marks(UiContext& ui, const QueryView::Shown& shown, const TimelinePlace& place) const {
  std::vector<ResultRect> rects;
  layout_result(shown.track, ui.workspace().view().input().view, rects);
  if (rects.size() > kMostLines) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect({place.tracks().x, place.ruler_end()}, place.tracks_end(), true);
  for (const ResultRect& rect : rects) {
    const float x = std::floor(place.tracks().x + rect.x0) + 0.5f;
    draw.AddLine({x, place.ruler_end()}, {x, place.tracks_end().y}, to_imgui(with_alpha(ui.theme.accent, 0.55f)));
  }
  draw.PopClipRect();
}

void ResultStrips::mouse(UiContext& ui, const QueryView::Shown& shown, const Strip& strip, ImVec2 at) {
  const TimelineView& view = ui.workspace().view();
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("rows", {std::max(1.0f, view.width_px()), strip.y1 - strip.y0});
  note_place(ui, "result_rows");
  if (!ImGui::IsItemHovered()) return;
  is_hovered_ = true;
  const ImVec2 mouse_at = ImGui::GetIO().MousePos;
  const bool is_marks = shown.track.kind == ResultTrack::Kind::kMarks;
  const float lane_px = is_marks ? strip.y1 - strip.y0 : strip.lane_px;
  const float y = mouse_at.y - at.y - (is_marks ? 0 : std::round(ui.px(kStripGapPx) * 0.5f));
  if (y < 0) return;
  const auto lane = static_cast<std::uint32_t>(y / std::max(1.0f, lane_px));
  const ResultRect* rect = result_at(rects_, lane, mouse_at.x - at.x, ui.px(is_marks ? 4 : 2));
  if (rect == nullptr) return;
  const ResultTrack::Item& item = shown.track.lanes[rect->lane][rect->item];
  const auto where = view_.place_of(*shown.answer, item.row);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && where) {
    ui.workspace().go_to(*where);
  } else if (ImGui::IsItemActivated() && where) {
    if (where->slice.valid()) {
      ui.workspace().select(where->slice);
    } else if (!where->span.empty()) {
      ui.workspace().set_area(where->span);
    }
  }
  if (!begin_tooltip(ui, 460)) return;
  if (rect->folded > 1)
    muted_text(ui, fmt::format("one of {} too narrow to be drawn alone", format_count(rect->folded)));
  const QueryRows& rows = shown.answer->rows;
  for (std::size_t c = 0; c < std::min(rows.names().size(), kMostTooltipColumns); ++c) {
    const Cell cell = rows.cell(item.row, c);
    const std::string& column = rows.names()[c];
    std::string value = cell.kind == Cell::Kind::kNull ? "NULL" : cell_text(cell).substr(0, kMostTooltipCharacters);
    if (cell.kind == Cell::Kind::kInteger && column == "ts") value = time_text(ui, cell.integer);
    if (cell.kind == Cell::Kind::kInteger && column == "dur" && cell.integer >= 0)
      value = format_duration_exact(cell.integer);
    muted_text(ui, column);
    ImGui::SameLine(0, ui.px(8));
    text(value);
  }
  end_tooltip();
}

}  // namespace lacuna
