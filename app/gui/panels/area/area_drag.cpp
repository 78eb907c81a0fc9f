// Dragging a selection over the tracks: time by the x axis, tracks by the y axis.

#include <algorithm>
#include <utility>

#include "app/gui/core/area_tracks.h"
#include "app/gui/models/area/snap.h"
#include "app/gui/panels/timeline/timeline_panel.h"

namespace lacuna {
namespace {

constexpr float kSnapPx = 7;

}  // namespace

Nanos TimelinePanel::snapped(const UiContext& ui, float x) {
  const TimelineView& view = std::as_const(ui.workspace()).view();
  const float inside = std::clamp(x, 0.0f, place_.width_px);
  const Nanos t = view.time_at(inside);
  snapped_x_.reset();
  if (ImGui::GetIO().KeyAlt) return t;
  const bool over_pins = ImGui::GetIO().MousePos.y < place_.tracks().y;
  const float y = ImGui::GetIO().MousePos.y - (over_pins ? place_.ruler_end() : place_.tracks().y);
  const auto snap =
      find_snap(view.input(), over_pins ? pins_ : list_, ui.workspace().markers(), inside, y, ui.px(kSnapPx));
  if (!snap) return t;
  snapped_x_ = static_cast<float>(view.x_of(snap->time));
  return snap->time;
}

void TimelinePanel::drag_area(UiContext& ui, float x) {
  Workspace& workspace = ui.workspace();
  const TimelineView& view = std::as_const(workspace).view();
  const Nanos now = snapped(ui, x);
  const TimeSpan span{std::min(anchor_, now), std::max(anchor_, now)};
  if (!chooses_tracks_) return workspace.set_area(span);
  // From the pane of the pinned tracks into the other one: tracks of both.
  const float mouse_y = ImGui::GetIO().MousePos.y;
  const float low = std::min(press_y_, mouse_y);
  const float high = std::max(press_y_, mouse_y);
  std::vector<TrackId> tracks;
  if (low < place_.tracks().y && place_.pins_px > 0) {
    const float scroll = view.pin_scroll_y() - place_.ruler_end();
    tracks = tracks_between(view.input(), view.pinned(), low + scroll, std::min(high, place_.tracks().y - 1) + scroll);
  }
  if (high >= place_.tracks().y) {
    const float scroll = view.scroll_y() - place_.tracks().y;
    for (const TrackId id :
         tracks_between(view.input(), view.vertical(), std::max(low, place_.tracks().y) + scroll, high + scroll))
      if (std::ranges::find(tracks, id) == tracks.end()) tracks.push_back(id);
  }
  workspace.set_area(span, std::move(tracks));
}

}  // namespace lacuna
