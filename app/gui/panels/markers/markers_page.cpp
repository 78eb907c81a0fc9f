#include "app/gui/panels/markers/markers_page.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/text_input.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {

void MarkersPage::draw(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  Markers& markers = workspace.markers();
  if (ImGui::Button("Add marker")) {
    if (const std::uint32_t added = workspace.add_marker(); added != 0) ui.requests.add(ask::EditNote{added});
  }
  note_place(ui, "add_marker");
  tooltip("Marks the selection, or the place of the mouse (Shift+M). M shows a span for the time being.");
  ImGui::SameLine(0, ui.px(10));
  muted_text(ui, markers.all().empty() ? "none yet" : counted(markers.all().size(), "marker"));
  if (markers.temporary()) {
    ImGui::SameLine(0, ui.px(14));
    coloured_text(ui.theme.warning,
                  fmt::format("{} for the time being", format_duration(markers.temporary()->duration())));
    ImGui::SameLine(0, ui.px(6));
    if (link(ui, "Keep")) workspace.keep_temporary();
  }
  share(ui);
  if (markers.all().empty()) {
    ImGui::Spacing();
    muted_text(ui,
               "Select a slice, a gap or a range and press Shift+M. Markers and their notes come back "
               "when the trace is opened again.");
    return;
  }
  if (!ImGui::BeginTable("markers", 5, kDrawerTable & ~ImGuiTableFlags_Sortable, ImGui::GetContentRegionAvail()))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Time", ImGuiTableColumnFlags_WidthFixed, ui.px(150));
  ImGui::TableSetupColumn("Duration", ImGuiTableColumnFlags_WidthFixed, ui.px(84));
  ImGui::TableSetupColumn("On", ImGuiTableColumnFlags_WidthFixed, ui.px(160));
  ImGui::TableSetupColumn("Note", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("##remove", ImGuiTableColumnFlags_WidthFixed, ui.px(56));
  ImGui::TableHeadersRow();
  for (const Marker& marker : markers.all()) row(ui, marker);
  ImGui::EndTable();
  if (const std::uint32_t gone = std::exchange(removed_, 0); gone != 0) markers.remove(gone);
}

void MarkersPage::share(UiContext& ui) {
  Markers& markers = ui.workspace().markers();
  ImGui::SameLine(0, ui.px(14));
  ImGui::BeginDisabled(markers.all().empty());
  if (ImGui::SmallButton("Copy notes")) ui.requests.add(ask::Copy{format_notes(markers.notes())});
  ImGui::EndDisabled();
  note_place(ui, "copy_notes");
  tooltip("Copies all notes as JSON, to be pasted into another window, or into a file for lacuna notes --import.");
  ImGui::SameLine(0, ui.px(6));
  if (ImGui::SmallButton("Paste notes")) {
    const char* copied = ImGui::GetClipboardText();
    const Result<ParsedNotes> parsed = parse_notes(copied == nullptr ? "" : copied);
    if (parsed)
      ui.state.notice = ui.workspace().take_over(*parsed);
    else
      ui.show_error("The clipboard " + parsed.error().cause + ".");
  }
  note_place(ui, "paste_notes");
  tooltip("Adds notes that were copied elsewhere, or written by lacuna notes --export. Those here stay.");
}

void MarkersPage::row(UiContext& ui, const Marker& marker) {
  Workspace& workspace = ui.workspace();
  ImGui::PushID(static_cast<int>(marker.number));
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_chosen = workspace.markers().chosen() == marker.number;
  ImGui::AlignTextToFramePadding();
  if (ImGui::Selectable("##go", is_chosen, 0, {0, 0})) workspace.go_to(marker);
  note_place(ui, fmt::format("marker {}", marker.number).c_str());
  ImGui::SameLine(0, 0);
  text(time_text(ui, marker.span.begin));
  ImGui::TableNextColumn();
  muted_text(ui, marker.is_moment() ? "\xE2\x80\x93" : format_duration(marker.span.duration()));
  ImGui::TableNextColumn();
  muted_text(ui, marker.on == NoteOn::kSlice ? marker.name : std::string(note_kind({marker.span, {}, marker.on})));
  ImGui::TableNextColumn();
  const bool is_edited = edited_ == marker.number;
  std::string shown = marker.note;
  std::string& note = is_edited ? note_ : shown;
  const ask::EditNote* wish = ui.requests.find<ask::EditNote>();
  if (wish != nullptr && wish->marker == marker.number) {
    ui.requests.take<ask::EditNote>();
    ImGui::SetKeyboardFocusHere();
    ImGui::SetScrollHereY(0.5f);
  }
  ImGui::SetNextItemWidth(-1);
  const bool changed = text_input("##note", "Note", note);
  note_place(ui, fmt::format("note {}", marker.number).c_str());
  const bool is_active = ImGui::IsItemActive();
  const std::uint32_t number = marker.number;  // `marker` may move
  ImGui::TableNextColumn();
  if (ImGui::SmallButton("Delete")) removed_ = number;
  note_place(ui, fmt::format("delete {}", number).c_str());
  ImGui::PopID();
  if (is_active && !is_edited) {
    edited_ = number;
    note_ = shown;
  } else if (!is_active && is_edited) {
    edited_ = 0;
  }
  if (changed) workspace.markers().set_note(number, note);
}

}  // namespace lacuna
