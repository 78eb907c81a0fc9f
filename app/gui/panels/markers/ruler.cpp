// Markers and steps on the ruler of a timeline.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/gui/application/commands.h"
#include "app/gui/panels/timeline/timeline_panel.h"
#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {
namespace {

constexpr float kReachPx = 6;

/// The first line of a note.
std::string_view first_line(std::string_view note) {
  return note.substr(0, note.find('\n'));
}

}  // namespace

void TimelinePanel::collect_markers(UiContext& ui) {
  const Markers& markers = ui.workspace().markers();
  marker_marks_.clear();
  for (const Marker& m : markers.all())
    marker_marks_.push_back({m.span, first_line(m.note), m.number == markers.chosen(), false});
  if (markers.temporary()) marker_marks_.push_back({*markers.temporary(), {}, false, true});
}

std::uint32_t TimelinePanel::marker_at(UiContext& ui, float x) const {
  const TimelineView& camera = ui.workspace().view();
  double best = static_cast<double>(ui.px(kReachPx));
  std::uint32_t number = 0;
  for (const Marker& m : ui.workspace().markers().all()) {
    for (const Nanos t : {m.span.begin, m.span.end}) {
      const double distance = std::fabs(camera.x_of(t) - static_cast<double>(x));
      if (distance > best) continue;
      best = distance;
      number = m.number;
    }
  }
  return number;
}

bool TimelinePanel::click_ruler(UiContext& ui) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.y >= place_.ruler_end()) return false;
  Workspace& workspace = ui.workspace();
  const float x = mouse.x - place_.tracks().x;
  if (mouse.y >= place_.ruler_end() - place_.steps_px) {
    const Nanos t = workspace.view().time_at(x);
    const std::vector<Step>& steps = workspace.steps();
    const auto found = std::ranges::find_if(steps, [&](const Step& s) { return s.span.contains(t); });
    if (found == steps.end()) return false;
    workspace.set_area(found->span, {});
    return true;
  }
  const std::uint32_t number = marker_at(ui, x);
  if (number == 0) return false;
  workspace.markers().choose(number);
  ui.show_page(DrawerPage::kMarkers);
  return true;
}

void TimelinePanel::ruler_menu(UiContext& ui) {
  if (std::exchange(opens_ruler_menu_, false)) ImGui::OpenPopup("ruler_menu");
  if (!ImGui::BeginPopup("ruler_menu")) return;
  Workspace& workspace = ui.workspace();
  const auto entry = [&](const char* label, const char* place, bool enabled = true) {
    const bool chosen = ImGui::MenuItem(label, nullptr, false, enabled);
    note_place(ui, place);
    return chosen;
  };
  const std::vector<Step>& steps = workspace.steps();
  const auto step = std::ranges::find_if(steps, [&](const Step& s) { return s.span.contains(menu_time_); });
  if (entry("Add a marker here", "ruler add_marker")) {
    const std::uint32_t added = workspace.markers().add({menu_time_, menu_time_});
    if (added != 0) {
      ui.requests.add(ask::EditNote{added});
      ui.show_page(DrawerPage::kMarkers);
    }
  }
  if (entry("Centre the view here", "ruler centre")) workspace.view().centre_on(menu_time_);
  ImGui::Separator();
  if (entry("Select this step", "ruler step", step != steps.end())) workspace.set_area(step->span, {});
  if (entry("Select everything in view", "ruler all")) workspace.set_area(workspace.view().visible());
  if (entry("Zoom to the range", "ruler zoom", workspace.area().has_value())) workspace.view().go_to(*workspace.area());
  if (entry("Clear the range", "ruler clear", workspace.area().has_value())) workspace.set_area(std::nullopt);
  ImGui::Separator();
  for (const std::string_view id : {"unit_start", "unit_absolute", "unit_marker", "unit_steps"}) {
    const Command& command = *find_command(id);
    const bool enabled = ui.commands.may_run(command);
    if (ImGui::MenuItem(std::string(command.name).c_str(), nullptr, false, enabled)) ui.commands.run(command);
  }
  ImGui::EndPopup();
}

}  // namespace lacuna
