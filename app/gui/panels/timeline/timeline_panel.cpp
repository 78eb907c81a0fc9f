#include "app/gui/panels/timeline/timeline_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/gui/application/commands.h"
#include "app/gui/panels/details/details_live.h"
#include "app/gui/panels/widgets/splitter.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/holders/memory_marks.h"

namespace lacuna {
namespace {

constexpr float kStripPx = 36;  // minimap and tools of the tracks
constexpr float kRulerPx = 28;
constexpr float kStepsPx = 15;  // … more where there are steps
constexpr float kScrollBarPx = 11;
constexpr float kDragStartPx = 4;     // less is a click
constexpr float kEdgeReachPx = 5;     // the edge of a range can be taken this close
constexpr float kWheelScrollPx = 54;  // three rows a notch
constexpr float kWheelPanPx = 60;
// Perfetto: ratio = log2(1 + |dy|) * 0.02, with dy = 120 a notch.
constexpr double kWheelNotch = 120;
constexpr double kWheelZoomSpeed = 0.02;
constexpr float kMostResults = 0.4f;  // of the height, for what queries put here

constexpr ImGuiButtonFlags kAllButtons =
    ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle;

/// Whole notches one by one: a slow frame gets several at once, and must zoom as far as several frames.
double wheel_zoom(float notches) {
  const auto zoom = [&](double size) {
    const double ratio = kWheelZoomSpeed * std::log2(1 + size * kWheelNotch);
    return notches > 0 ? 1 / (1 - ratio) : 1 / (1 + ratio);
  };
  const double size = std::fabs(notches);
  const double whole = std::floor(size);
  return std::pow(zoom(1), whole) * zoom(size - whole);
}

TimeSpan ordered(Nanos a, Nanos b) {
  return {std::min(a, b), std::max(a, b)};
}

/// What was live when an allocation was made, on the memory page.
void choose_allocation(UiContext& ui, const TimelineDrawList& list, const Hit& hit) {
  const MemoryMarks* marks = ui.workspace().view().input().data.memory;
  if (marks == nullptr || hit.index >= list.memory_marks.size()) return;
  ui.requests.add(ask::ShowAllocation{list.memory_marks[hit.index].index});
  ui.show_page(DrawerPage::kMemory);
}

}  // namespace

TimelinePlace TimelinePanel::place_in(const UiContext& ui, ImVec2 at, ImVec2 size) const {
  TimelinePlace place;
  place.origin = {at.x, at.y + std::round(ui.px(kStripPx))};
  place.header_px = std::round(ui.px(ui.settings.header_px));
  place.steps_px = ui.workspace().steps().empty() ? 0 : std::round(ui.px(kStepsPx));
  place.ruler_px = std::round(ui.px(kRulerPx)) + place.steps_px;
  place.width_px = std::max(1.0f, size.x - place.header_px - std::round(ui.px(kScrollBarPx)));
  place.height_px = std::max(1.0f, at.y + size.y - place.origin.y - place.ruler_px);
  return place;
}

void TimelinePanel::draw(UiContext& ui, ImVec2 size) {
  Workspace& workspace = ui.workspace();
  TimelineView& view = workspace.view();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  at_ = at;
  size_ = size;
  const float results_px = results_.height(ui, std::floor(size.y * kMostResults));
  size.y -= results_px;
  place_ = place_in(ui, at, size);
  if (shown_ != workspace.document()) {  // the last frame's ids mean nothing in this trace
    shown_ = workspace.document();
    list_.clear();
    pins_.clear();
    hover_ = Hit{};
    lit_name_ = {};
    headers_.forget();
  }
  view.resize(place_.width_px, place_.height_px, ui.fonts.scale);
  place_.pins_px = view.pins_px();
  place_.height_px = view.height_px();

  // The buttons come first, so that input acts on the same frame that it is drawn in.
  const float reach = std::round(ui.px(3));  // of the border between titles and tracks, free of buttons
  ImGui::SetCursorScreenPos({place_.tracks().x + reach, place_.origin.y});
  ImGui::InvisibleButton("tracks", {std::max(1.0f, place_.width_px - reach), place_.tracks_end().y - place_.origin.y},
                         kAllButtons);
  handle_mouse(ui);
  ImGui::SetCursorScreenPos({at.x, place_.ruler_end()});
  ImGui::InvisibleButton("headers", {place_.header_px - ui.px(4), place_.pins_px + place_.height_px});
  if (ImGui::IsItemHovered()) handle_wheel(ui);
  headers_.handle(ui, place_, list_, pins_);
  if (is_hovered_ && hover_.kind == Hit::Kind::kProcess) headers_.hover(hover_.process);
  place_.pins_px = view.pins_px();
  place_.height_px = view.height_px();

  layout_timeline(view.input(), view.vertical(), list_);

  TimelineMarks marks;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  // Pictures show the trace, and not where the mouse was.
  const bool is_for_picture = ui.requests.find<ask::WritePicture>() != nullptr;
  if (is_for_picture) is_hovered_ = false;
  if (is_hovered_ || drag_ != Drag::kNone) marks.cursor_x = mouse.x - place_.tracks().x;
  if (zoom_range_) {
    marks.area = zoom_range_;
    marks.area_is_zoom = true;
  } else {
    marks.area = workspace.area();
    if (marks.area) marks.area_tracks = workspace.counted_tracks();
  }
  if (is_hovered_ && hover_.kind == Hit::Kind::kSlice) {
    marks.hovered = hover_.slice;
    // A mouse that passes by lights nothing up, and one that moves on within a name puts nothing out.
    const Lane& lane = workspace.trace().lane(hover_.slice);
    const StringId name = lane.name(hover_.slice.index);
    if (lit_name_ != name && drag_ == Drag::kNone) lit_name_ = mouse_rests(ui) ? name : StringId{};
  } else {
    lit_name_ = {};
  }
  marks.lit_name = lit_name_;
  if (drag_ == Drag::kArea && snapped_x_) marks.cursor_x = snapped_x_;
  marks.is_snapped = drag_ == Drag::kArea && snapped_x_.has_value();
  marks.hovered_track = headers_.hovered_track();
  marks.hovered_process = headers_.hovered_process();

  collect_markers(ui);
  marks.markers = marker_marks_;

  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImGui::PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
  draw_pins(ui, marks);
  const bool is_live = ui.shown == nullptr && ui.live.is_running();
  if (is_live) grow_unfinished(list_, view.input(), ui.live.now());
  const auto live = overlay_.layout(view, workspace.document(), is_live ? ui.live.tail() : nullptr, ui.live.now());
  paint_timeline(draw, list_, view.input(), place_, marks, ui.theme, ui.fonts, live);
  if (ui.shown == nullptr) ui.observed.legend_classes = 0;
  class_legend(ui);
  headers_.draw(ui, place_, list_, pins_);
  corner(ui);
  slice_menu(ui);
  ruler_menu(ui);
  const float strip_px = place_.origin.y - at.y;
  tools_.draw(ui, at, {place_.header_px, strip_px});
  minimap_.draw(ui, {place_.tracks().x, at.y}, {place_.width_px, strip_px});
  scroll_bar(ui, {place_.tracks_end().x, at.y}, std::round(ui.px(kScrollBarPx)));
  ImGui::PopClipRect();
  results_.draw(ui, place_, {at.x, at.y + size.y}, results_px);
  if (results_.is_hovered()) handle_wheel(ui);

  float header_px = place_.header_px;
  const Splitter border{.id = "header_splitter",
                        .is_vertical = true,
                        .begin = {place_.tracks().x - reach, at.y},
                        .end = {place_.tracks().x + reach, place_.tracks_end().y},
                        .least = ui.px(120),
                        .most = size.x * 0.5f};
  const SplitterMove move = draw_splitter(ui, border, header_px);
  if (move == SplitterMove::kDragged) ui.settings.header_px = header_px / ui.fonts.scale;
  if (move == SplitterMove::kReset) ui.settings.header_px = Settings().header_px;

  ui.observed.hovered.clear();
  if (is_hovered_ && drag_ == Drag::kNone) {
    ui.observed.hovered = hovered_name(ui, hovered_list(), hover_);
    timeline_tooltip(ui, hovered_list(), hover_);
    if (live_hover_) {
      ui.observed.hovered = live_hover_->trace().name(live_hover_->slice);
      live_tooltip(ui, *live_hover_);
    }
  }
  ImGui::SetCursorScreenPos({at.x, at.y + size.y + results_px});
}

void TimelinePanel::follow_mouse(UiContext& ui) const {
  const float x = ImGui::GetIO().MousePos.x - place_.tracks().x;
  ui.workspace().view().set_zoom_centre(std::clamp(x, 0.0f, std::max(0.0f, place_.width_px)));
}

void TimelinePanel::handle_mouse(UiContext& ui) {
  is_hovered_ = ImGui::IsItemHovered();
  const bool active = ImGui::IsItemActive();
  const ImGuiIO& io = ImGui::GetIO();
  const float x = io.MousePos.x - place_.tracks().x;
  in_pins_ = io.MousePos.y < place_.tracks().y;
  const float y = io.MousePos.y - (in_pins_ ? place_.ruler_end() : place_.tracks().y);
  // What the last frame showed is what the mouse points at.
  hover_ = is_hovered_ && y >= 0 ? hit_test(hovered_list(), x, y, ui.fonts.scale) : Hit{};
  live_hover_ = is_hovered_ && y >= 0 && !in_pins_ ? overlay_.hit(x, y, ui.fonts.scale) : std::nullopt;
  if (live_hover_) hover_ = Hit{};  // it lies over the document's

  if (is_hovered_) handle_wheel(ui);
  if (ImGui::IsItemActivated()) begin_drag(ui, x);
  if (active && drag_ != Drag::kNone) continue_drag(ui, x);
  if (!active && drag_ != Drag::kNone) end_drag(ui, x);

  if (is_hovered_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && hover_.kind == Hit::Kind::kSlice) {
    ui.workspace().select(hover_.slice);
    ui.workspace().focus();
    drag_ = Drag::kNone;
  }
  if (is_hovered_ && drag_ == Drag::kNone && ui.workspace().area()) {
    const TimeSpan area = *ui.workspace().area();
    const TimelineView& camera = ui.workspace().view();
    const double reach = ui.px(kEdgeReachPx);
    if (std::fabs(camera.x_of(area.begin) - x) < reach || std::fabs(camera.x_of(area.end) - x) < reach) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
  }
}

void TimelinePanel::handle_wheel(UiContext& ui) {
  const ImGuiIO& io = ImGui::GetIO();
  TimelineView& view = ui.workspace().view();
  const float x = io.MousePos.x - place_.tracks().x;
  if (io.MouseWheelH != 0) view.pan(-io.MouseWheelH * ui.px(kWheelPanPx));
  if (io.MouseWheel == 0) return;
  if (io.KeyCtrl) {
    view.zoom_at(x, wheel_zoom(io.MouseWheel));
  } else if (io.KeyShift) {
    view.pan(-io.MouseWheel * ui.px(kWheelPanPx));
  } else if (io.MousePos.y < place_.tracks().y && view.pinned().height > view.pins_px()) {
    view.scroll_pins(-io.MouseWheel * ui.px(kWheelScrollPx));
  } else {
    view.scroll(-io.MouseWheel * ui.px(kWheelScrollPx));
  }
}

void TimelinePanel::begin_drag(UiContext& ui, float x) {
  const ImGuiIO& io = ImGui::GetIO();
  const TimelineView& camera = ui.workspace().view();
  press_x_ = io.MousePos.x;
  press_y_ = io.MousePos.y;
  drag_ = Drag::kPending;
  button_ = io.MouseDown[ImGuiMouseButton_Left]    ? ImGuiMouseButton_Left
            : io.MouseDown[ImGuiMouseButton_Right] ? ImGuiMouseButton_Right
                                                   : ImGuiMouseButton_Middle;
  anchor_ = snapped(ui, x);
  with_shift_ = io.KeyShift;
  chooses_tracks_ = io.MousePos.y >= place_.ruler_end();
  if (button_ == ImGuiMouseButton_Left && !with_shift_ && ui.workspace().area()) {
    // An edge of the range is moved; the other one stays.
    const TimeSpan area = *ui.workspace().area();
    const double reach = ui.px(kEdgeReachPx);
    if (std::fabs(camera.x_of(area.begin) - x) < reach) {
      anchor_ = area.end;
      chooses_tracks_ = false;
      drag_ = Drag::kArea;
    } else if (std::fabs(camera.x_of(area.end) - x) < reach) {
      anchor_ = area.begin;
      chooses_tracks_ = false;
      drag_ = Drag::kArea;
    }
  }
}

void TimelinePanel::continue_drag(UiContext& ui, float x) {
  const ImGuiIO& io = ImGui::GetIO();
  TimelineView& view = ui.workspace().view();
  if (drag_ == Drag::kPending) {
    const float dx = io.MousePos.x - press_x_;
    const float dy = io.MousePos.y - press_y_;
    if (std::sqrt(dx * dx + dy * dy) < ui.px(kDragStartPx)) return;  // std::hypot would need glibc 2.35
    if (button_ == ImGuiMouseButton_Middle) {
      drag_ = Drag::kZoom;
    } else if (button_ == ImGuiMouseButton_Right || with_shift_) {
      drag_ = Drag::kPan;
      view.pan(-dx);
      view.scroll(-dy);
      return;
    } else {
      drag_ = Drag::kArea;
      if (!chooses_tracks_) ui.workspace().count_all_tracks();  // on the ruler: all of them
    }
  }
  const Nanos now = view.time_at(std::clamp(x, 0.0f, place_.width_px));
  switch (drag_) {
    case Drag::kPan:
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (io.MouseDelta.x != 0) view.pan(-io.MouseDelta.x);
      if (io.MouseDelta.y != 0) view.scroll(-io.MouseDelta.y);
      break;
    case Drag::kArea:
      drag_area(ui, x);
      break;
    case Drag::kZoom:
      zoom_range_ = ordered(anchor_, now);
      break;
    case Drag::kNone:
    case Drag::kPending:
      break;
  }
}

void TimelinePanel::end_drag(UiContext& ui, float x) {
  continue_drag(ui, x);  // up to where the button was let go
  if (drag_ == Drag::kPending && button_ == ImGuiMouseButton_Left && !click_ruler(ui)) click(ui, hover_);
  if (drag_ == Drag::kPending && button_ == ImGuiMouseButton_Right &&
      (hover_.kind == Hit::Kind::kSlice || hover_.kind == Hit::Kind::kGap)) {
    click(ui, hover_);
    opens_slice_menu_ = true;
  }
  if (drag_ == Drag::kPending && button_ == ImGuiMouseButton_Right && ui.shown == nullptr &&
      ImGui::GetIO().MousePos.y < place_.ruler_end()) {
    menu_time_ = ui.workspace().view().time_at(x);
    opens_ruler_menu_ = true;
  }
  if (drag_ == Drag::kZoom && zoom_range_ && !zoom_range_->empty()) {
    ui.workspace().view().go_to(*zoom_range_, 0);
  }
  zoom_range_.reset();
  snapped_x_.reset();
  drag_ = Drag::kNone;
}

void TimelinePanel::click(UiContext& ui, const Hit& hit) {
  ui.state.other_is_active = ui.shown != nullptr;
  Workspace& workspace = ui.workspace();
  if (ui.shown == nullptr) ui.live.choose(live_hover_);
  switch (hit.kind) {
    case Hit::Kind::kSlice:
      workspace.select(hit.slice);
      break;
    case Hit::Kind::kGap:
      if (const TimelineDrawList& list = hovered_list(); hit.index < list.gaps.size())
        workspace.select(GapRef{list.gaps[hit.index].stream, list.gaps[hit.index].gap});
      break;
    case Hit::Kind::kProcess:
      if (headers_.explain_idle(ui)) break;
      workspace.view().set_collapsed(hit.process, !workspace.view().is_collapsed(hit.process));
      break;
    case Hit::Kind::kMemory:
      choose_allocation(ui, hovered_list(), hit);
      break;
    case Hit::Kind::kInstant:
      if (const TimelineDrawList& list = hovered_list(); hit.index < list.instants.size())
        workspace.select(InstantRef{list.instants[hit.index].track, list.instants[hit.index].index});
      break;
    case Hit::Kind::kNothing:
    case Hit::Kind::kTrack:
    case Hit::Kind::kCounter:
      // A click into the void lets go of slice, gap and range, as in Perfetto.
      workspace.select(SliceId{});
      workspace.count_all_tracks();
      workspace.set_area(std::nullopt);
      break;
  }
}

TimelinePlace TimelinePanel::pins_place() const {
  TimelinePlace place = place_;
  place.height_px = place.pins_px;
  place.pins_px = 0;
  return place;
}

void TimelinePanel::draw_pins(UiContext& ui, const TimelineMarks& marks) {
  TimelineView& view = ui.workspace().view();
  if (place_.pins_px <= 0) return pins_.clear();
  const TimelineInput& input = view.pin_input();
  layout_timeline(input, view.pinned(), pins_);
  paint_pane(*ImGui::GetWindowDrawList(), pins_, input, pins_place(), marks, ui.theme, ui.fonts);
}

void TimelinePanel::corner(UiContext& ui) {
  const float width = steps_.width(ui);
  ImGui::SetCursorScreenPos({place_.tracks().x - width - ui.px(8),
                             place_.origin.y + std::round((place_.ruler_px - ImGui::GetTextLineHeight()) * 0.5f)});
  steps_.draw(ui);
}

/// What can be done with the slice or gap that was clicked with the right button; the commands act on
/// the selection, which it is now. The other trace of a comparison has no commands of its own.
void TimelinePanel::slice_menu(UiContext& ui) {
  if (std::exchange(opens_slice_menu_, false) && ui.shown == nullptr) ImGui::OpenPopup("slice_menu");
  if (!ImGui::BeginPopup("slice_menu")) return;
  for (const std::string_view id : {"copy_name", "copy_row", "copy_args", "copy_args_json", "copy_json", "",
                                    "highlight_name", "focus", "selection_to_range", "what_if_selection"}) {
    const Command* command = find_command(id);
    if (command == nullptr) {
      ImGui::Separator();
      continue;
    }
    const std::string name(command->name);
    const std::string key(ui.keymap.key_of(id));
    if (ImGui::MenuItem(name.c_str(), key.c_str(), false, ui.commands.may_run(*command))) ui.commands.run(*command);
    note_place(ui, ("menu " + std::string(id)).c_str());
  }
  hide_entries(ui);
  ImGui::EndPopup();
}

void TimelinePanel::hide_entries(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const SliceId slice = workspace.selection().slice;
  if (!workspace.has_trace() || !slice.valid()) return;
  constexpr std::size_t kMostShown = 60;  // names can have thousands of characters
  const Trace& trace = workspace.trace();
  const std::string_view name = trace.name(slice);
  const std::string_view category = trace.category_name(trace.lane(slice).category(slice.index));
  const auto entry = [&](const char* id, std::string_view what, std::string_view of) {
    const bool is_cut = of.size() > kMostShown;
    const std::string label = fmt::format("{} {}{}", what, of.substr(0, kMostShown), is_cut ? "\xE2\x80\xA6" : "");
    const Command* command = find_command(id);
    const float left = ImGui::GetCursorPosX();
    ImGui::PushID(id);
    if (ImGui::Selectable("##hide") && command != nullptr) ui.commands.run(*command);
    ImGui::PopID();
    note_place(ui, ("menu " + std::string(id)).c_str());
    ImGui::SameLine(left);
    text(label);
    ImGui::SameLine(0, ui.px(18));
    muted_text(ui, ui.keymap.key_of(id));
  };
  ImGui::Separator();
  entry("hide_name", "Hide slices named", name);
  if (!category.empty()) entry("hide_category", "Hide slices of category", category);
}

void TimelinePanel::scroll_bar(UiContext& ui, ImVec2 at, float width) {
  TimelineView& view = ui.workspace().view();
  const float track = place_.height_px;
  const float top = place_.tracks().y;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, place_.tracks_end().y}, to_imgui(ui.theme.panel));
  const float content = view.vertical().height;
  if (content <= track) return;
  const float grab = std::max(ui.px(24), track * track / content);
  const float reach = track - grab;
  const float most = content - track;
  ImGui::SetCursorScreenPos({at.x, top});
  ImGui::InvisibleButton("timeline_scroll", {width, track});
  float y = top + view.scroll_y() / most * reach;
  const float mouse_y = ImGui::GetIO().MousePos.y;
  if (ImGui::IsItemActivated()) {
    // Taken anywhere but at the grab: the grab jumps under the mouse.
    scroll_grab_ = mouse_y >= y && mouse_y < y + grab ? mouse_y - y : grab / 2;
  }
  if (ImGui::IsItemActive() || item_let_go()) {
    view.scroll_to((mouse_y - scroll_grab_ - top) / reach * most);
    y = top + view.scroll_y() / most * reach;
  }
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  const float inset = std::max(1.0f, ui.px(2));
  draw.AddRectFilled({at.x + inset, y + inset}, {at.x + width - inset, y + grab - inset},
                     ImGui::GetColorU32(lit ? ImGuiCol_ScrollbarGrabHovered : ImGuiCol_ScrollbarGrab), ui.px(4));
}

}  // namespace lacuna
