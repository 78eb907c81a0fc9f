// What a right click on the title of a track or a process offers.

#include <array>

#include "app/gui/panels/tracks/header_column.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/header_layout.h"

namespace lacuna {
namespace {

struct Height {
  const char* name;
  float scale;
};
constexpr std::array kHeights = {Height{"Low", 0.6f}, Height{"Usual", 1}, Height{"High", 2}, Height{"Very high", 4}};

bool item(const UiContext& ui, const char* name, const char* place, bool checked = false, bool enabled = true) {
  const bool chosen = ImGui::MenuItem(name, nullptr, checked, enabled);
  note_place(ui, place);
  return chosen;
}

void heights(UiContext& ui, TrackId track) {
  if (!ImGui::BeginMenu("Height of rows")) return;
  TimelineView& view = ui.workspace().view();
  for (const Height& height : kHeights)
    if (item(ui, height.name, height.name, view.arrangement().row_scale(track) == height.scale))
      view.arrange([&](TrackArrangement& a) { a.set_row_scale(track, height.scale); });
  ImGui::EndMenu();
}

void statistics(UiContext& ui, TrackId track) {
  Workspace& workspace = ui.workspace();
  const bool counts_some = !workspace.counted_tracks().empty();
  if (item(ui, "Statistics of this track only", "count_only")) workspace.count_only(track);
  const bool is_counted = counts_some && workspace.is_counted(track);
  if (item(ui, is_counted ? "Leave it out of the statistics" : "Add it to the statistics", "count_toggle", false,
           counts_some))
    workspace.toggle_counted(track);
  if (item(ui, "Statistics of all tracks", "count_all", false, counts_some)) workspace.count_all_tracks();
}

void order(UiContext& ui) {
  TimelineView& view = ui.workspace().view();
  if (view.arrangement().has_own_order() && item(ui, "Order as in the trace", "order_reset"))
    view.arrange([](TrackArrangement& a) { a.reset_order(); });
  if (view.arrangement().hidden_count() > 0 && item(ui, "Show hidden tracks", "show_all"))
    view.arrange([](TrackArrangement& a) { a.show_all(); });
}

}  // namespace

void track_menu(UiContext& ui, TrackId track) {
  Workspace& workspace = ui.workspace();
  TimelineView& view = workspace.view();
  muted_text(ui, track_text(workspace.trace(), workspace.trace().track(track)));
  ImGui::Separator();
  const bool is_pinned = view.arrangement().is_pinned(track);
  if (item(ui, is_pinned ? "Unpin" : "Pin to the top", "menu_pin"))
    view.arrange([&](TrackArrangement& a) { a.set_pinned(track, !is_pinned); });
  if (item(ui, "Hide", "menu_hide")) view.arrange([&](TrackArrangement& a) { a.set_hidden(track, true); });
  if (item(ui, "Hide all others", "menu_only")) view.arrange([&](TrackArrangement& a) { a.show_only(track); });
  if (item(ui, view.is_collapsed(track) ? "Expand" : "Collapse", "menu_collapse"))
    view.set_collapsed(track, !view.is_collapsed(track));
  heights(ui, track);
  order(ui);
  ImGui::Separator();
  statistics(ui, track);
}

void process_menu(UiContext& ui, ProcessId id) {
  Workspace& workspace = ui.workspace();
  TimelineView& view = workspace.view();
  const Process& process = workspace.trace().process(id);
  std::string title;
  append_process_title(workspace.trace(), process, title);
  muted_text(ui, title);
  ImGui::Separator();
  if (item(ui, view.is_collapsed(id) ? "Expand" : "Collapse", "menu_collapse"))
    view.set_collapsed(id, !view.is_collapsed(id));
  if (item(ui, "Collapse its tracks", "menu_collapse_tracks"))
    for (const TrackId track : process.tracks) view.set_collapsed(track, true);
  if (item(ui, "Expand its tracks", "menu_expand_tracks"))
    for (const TrackId track : process.tracks) view.set_collapsed(track, false);
  if (process.is_gpu && item(ui, "Pin its GPU streams", "menu_pin_streams"))
    view.arrange([&](TrackArrangement& a) {
      for (const TrackId track : process.tracks)
        if (workspace.trace().track(track).kind == TrackKind::kGpuStream) a.set_pinned(track, true);
    });
  if (item(ui, "Hide", "menu_hide")) view.arrange([&](TrackArrangement& a) { a.set_hidden(id, true); });
  order(ui);
}

}  // namespace lacuna
