#include "app/gui/panels/tracks/header_column.h"

#include <algorithm>
#include <cmath>

#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kTitleDragStartPx = 5;
// Boxes before the titles, while a range is selected: whether the track is in it.
constexpr float kCheckPx = 11;
constexpr float kCheckLeftPx = 9;
constexpr float kCheckEndPx = 24;

using Kind = DrawHeader::Kind;

/// Pins are painted as tracks of a pane of their own.
TimelinePlace pane_of_pins(TimelinePlace place) {
  place.height_px = place.pins_px;
  place.pins_px = 0;
  return place;
}

float middle(const DrawHeader& h) {
  return (h.y0 + h.y1) * 0.5f;
}

}  // namespace

void HeaderColumn::forget() {
  *this = HeaderColumn{};
}

const DrawHeader* HeaderColumn::header_at(const TimelinePlace& place, const TimelineDrawList& tracks,
                                          const TimelineDrawList& pins, float mouse_y, bool& in_pins) const {
  in_pins = mouse_y < place.tracks().y;
  const float y = mouse_y - (in_pins ? place.ruler_end() : place.tracks().y);
  for (const DrawHeader& h : (in_pins ? pins : tracks).headers)
    if (y >= h.y0 && y < h.y1) return &h;
  return nullptr;
}

HeaderColumn::Target HeaderColumn::target_at(const TimelinePlace& place, const TimelineDrawList& tracks,
                                             const TimelineDrawList& pins, float mouse_y) const {
  Target target;
  target.is_valid = true;
  if (pressed_track_.valid() && (from_pins_ || mouse_y < place.tracks().y)) {
    target.in_pins = true;
    target.y = place.tracks().y;
    const float y = mouse_y - place.ruler_end();
    std::size_t index = 0;
    for (const DrawHeader& h : pins.headers) {
      if (h.kind != Kind::kTrack) continue;
      if (y < middle(h)) {
        target.y = place.ruler_end() + h.y0;
        break;
      }
      ++index;
    }
    target.place = index;
    return target;
  }
  const float y = mouse_y - place.tracks().y;
  const DrawHeader* last = nullptr;
  for (const DrawHeader& h : tracks.headers) {
    const bool is_candidate =
        pressed_track_.valid() ? h.kind == Kind::kTrack && h.process == pressed_process_ : h.kind == Kind::kProcess;
    if (!is_candidate) continue;
    if (y < middle(h)) {
      target.before = h.track;
      target.before_process = h.process;
      target.y = place.tracks().y + h.y0;
      return target;
    }
    last = &h;
  }
  target.is_valid = last != nullptr;
  if (last != nullptr) {
    target.y = place.tracks().y + (pressed_track_.valid() ? last->y1 : tracks.headers.back().y1);
  }
  return target;
}

void HeaderColumn::handle(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks,
                          const TimelineDrawList& pins) {
  hovered_track_ = TrackId{};
  hovered_process_ = ProcessId{};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsItemHovered();
  find_idle_figure(ui, place, tracks, pins);
  bool in_pins = false;
  const DrawHeader* header = hovered ? header_at(place, tracks, pins, mouse.y, in_pins) : nullptr;

  if (ImGui::IsItemActivated()) {
    is_pressed_ = header != nullptr && header->kind != Kind::kGroup && header->kind != Kind::kExtra;
    is_dragging_ = false;
    if (is_pressed_) {
      press_y_ = mouse.y;
      from_pins_ = in_pins;
      pressed_track_ = header->track;
      pressed_process_ = header->process;
      can_collapse_ = header->can_collapse;
    }
  }
  if (is_pressed_ && ImGui::IsItemActive() && std::fabs(mouse.y - press_y_) > ui.px(kTitleDragStartPx))
    is_dragging_ = true;
  if (is_pressed_ && !ImGui::IsItemActive()) {
    if (is_dragging_) {
      drop(ui, target_at(place, tracks, pins, mouse.y));
    } else if (hovered && header != nullptr && header->track == pressed_track_ && header->process == pressed_process_) {
      click(ui, mouse.x - place.origin.x);
    }
    is_pressed_ = is_dragging_ = false;
  }
  if (is_dragging_) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (header == nullptr || is_dragging_) return;

  if (header->kind == Kind::kProcess) {
    hovered_process_ = header->process;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  } else if (header->kind == Kind::kTrack) {
    hovered_track_ = header->track;
    if (header->can_collapse) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    explain(ui, *header);
  }
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    menu_track_ = hovered_track_;
    menu_process_ = hovered_process_;
    if (menu_track_.valid()) ImGui::OpenPopup("track_menu");
    if (menu_process_.valid()) ImGui::OpenPopup("process_menu");
  }
}

void HeaderColumn::find_idle_figure(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks,
                                    const TimelineDrawList& pins) {
  idle_figure_.reset();
  if (ui.shown != nullptr || !ImGui::IsWindowHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  bool in_pins = false;
  const DrawHeader* header = header_at(place, tracks, pins, mouse.y, in_pins);
  if (header == nullptr || header->busy_share < 0) return;
  const HeaderDetail detail = header_detail(ui.fonts, in_pins ? pane_of_pins(place) : place, *header);
  const float width = std::min(detail.max_px, text_width(ui.fonts.label, ui.fonts.label_px, detail.text));
  const ImVec2 b(detail.at.x + width, detail.at.y + ui.fonts.label_px);
  const float reach = ui.px(3);
  if (mouse.x < detail.at.x - reach || mouse.x > b.x + reach || mouse.y < detail.at.y - reach || mouse.y > b.y + reach)
    return;
  const bool is_process = header->kind == Kind::kProcess;
  idle_figure_ = IdleFigure{{header->process, is_process ? TrackId{} : header->track}, detail.at, b};
}

bool HeaderColumn::explain_idle(UiContext& ui) const {
  if (!idle_figure_) return false;
  ui.requests.add(ask::ExplainIdle{idle_figure_->subject});
  return true;
}

void HeaderColumn::click(UiContext& ui, float x) {
  TimelineView& view = ui.workspace().view();
  if (explain_idle(ui)) return;
  if (pressed_track_.valid() && ui.workspace().area() && x < ui.px(kCheckEndPx))
    return ui.workspace().toggle_in_area(pressed_track_);
  if (!pressed_track_.valid()) {
    view.set_collapsed(pressed_process_, !view.is_collapsed(pressed_process_));
  } else if (can_collapse_) {
    view.set_collapsed(pressed_track_, !view.is_collapsed(pressed_track_));
  }
}

void HeaderColumn::drop(UiContext& ui, const Target& target) {
  if (!target.is_valid) return;
  TimelineView& view = ui.workspace().view();
  const std::vector<ProcessId> shown = view.input().arrangement.process_order;
  view.arrange([&](TrackArrangement& arrangement) {
    if (!pressed_track_.valid()) {
      arrangement.move_process(pressed_process_, target.before_process, shown);
    } else if (target.in_pins) {
      arrangement.set_pinned(pressed_track_, true);
      arrangement.move_pin(pressed_track_, target.place);
    } else {
      arrangement.move_track(pressed_track_, target.before);
    }
  });
}

void HeaderColumn::explain(UiContext& ui, const DrawHeader& header) {
  if (!begin_tooltip(ui, 520)) return;
  const Trace& trace = ui.workspace().trace();
  text(track_text(trace, trace.track(header.track)));
  if (!header.detail.empty()) muted_text(ui, header.detail);
  if (header.busy_share >= 0) {
    muted_text(ui, column_definition("bars", "Track busy"));
    muted_text(ui, column_definition("bars", "Track idle"));
    muted_text(ui, "A click on these figures shows them beside those of the gaps page and the report.");
  }
  end_tooltip();
}

void HeaderColumn::check_boxes(UiContext& ui, const TimelineDrawList& list, ImVec2 corner, float bottom) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float size = std::round(ui.px(kCheckPx));
  draw.PushClipRect(corner, {corner.x + ui.px(kCheckEndPx), bottom}, true);
  for (const DrawHeader& h : list.headers) {
    if (h.kind != Kind::kTrack) continue;
    const float top = corner.y + std::max(h.y0, std::min(0.0f, h.y1 - ui.px(24)));
    const ImVec2 a(std::round(corner.x + ui.px(kCheckLeftPx)), std::round(top + ui.px(8)));
    const ImVec2 b(a.x + size, a.y + size);
    draw.AddRectFilled(a, b, to_imgui(ui.theme.background), ui.px(2));
    draw.AddRect(a, b, to_imgui(ui.theme.muted), ui.px(2));
    if (ui.workspace().is_counted(h.track))
      draw.AddRectFilled({a.x + ui.px(2), a.y + ui.px(2)}, {b.x - ui.px(2), b.y - ui.px(2)}, to_imgui(ui.theme.accent),
                         ui.px(1));
  }
  draw.PopClipRect();
}

void HeaderColumn::draw(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks,
                        const TimelineDrawList& pins) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (place.pins_px > 0) {
    const float y = place.tracks().y - 0.5f;
    draw.AddLine({place.origin.x, y}, {place.tracks_end().x, y}, to_imgui(ui.theme.accent),
                 std::max(1.0f, ui.px(1.5f)));
  }
  if (ui.workspace().area()) {
    if (place.pins_px > 0) check_boxes(ui, pins, {place.origin.x, place.ruler_end()}, place.tracks().y);
    check_boxes(ui, tracks, {place.origin.x, place.tracks().y}, place.tracks_end().y);
  }
  if (is_dragging_) {
    const Target target = target_at(place, tracks, pins, ImGui::GetIO().MousePos.y);
    const float y = std::round(target.y);
    if (target.is_valid)
      draw.AddRectFilled({place.origin.x, y - ui.px(1)}, {place.tracks().x, y + ui.px(2)}, to_imgui(ui.theme.accent));
  }
  for (const DrawHeader& h : tracks.headers) {
    if (h.busy_share < 0) continue;
    const HeaderDetail detail = header_detail(ui.fonts, place, h);
    ui.observed.places["idle_title"] = {detail.at.x + ui.px(10), detail.at.y + ui.fonts.label_px * 0.5f};
    break;
  }
  if (idle_figure_ && !is_dragging_) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    draw.AddLine({idle_figure_->a.x, idle_figure_->b.y + 1}, {idle_figure_->b.x, idle_figure_->b.y + 1},
                 to_imgui(ui.theme.muted));
  }
  if (menu_track_.valid() && ImGui::BeginPopup("track_menu")) {
    track_menu(ui, menu_track_);
    ImGui::EndPopup();
  }
  if (menu_process_.valid() && ImGui::BeginPopup("process_menu")) {
    process_menu(ui, menu_process_);
    ImGui::EndPopup();
  }
}

}  // namespace lacuna
