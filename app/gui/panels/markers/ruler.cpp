// Markers and steps on the ruler of a timeline.

#include <algorithm>
#include <cmath>

#include "app/gui/panels/timeline/timeline_panel.h"

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

}  // namespace lacuna
