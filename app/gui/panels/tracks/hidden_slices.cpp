#include "app/gui/panels/tracks/hidden_slices.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

bool has_text(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

/// One thing that is hidden; a click brings it back.
bool hidden_entry(UiContext& ui, std::string_view kind, const std::string& name, int id) {
  ImGui::PushID(id);
  const bool is_chosen = ImGui::Selectable("##shown_again");
  note_place(ui, ("shown_again " + name).c_str());
  ImGui::SameLine(ui.px(8));
  muted_text(ui, kind);
  ImGui::SameLine(ui.px(84));
  fitted_text(ui, name, ui.px(310));
  ImGui::PopID();
  return is_chosen;
}

}  // namespace

void hidden_chip(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const std::string label = counted(workspace.hidden_slice_count(), "slice") + " hidden";
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.warning));
  ImGui::PushStyleColor(ImGuiCol_Button, to_imgui(with_alpha(ui.theme.warning, 0.13f)));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(6), 0});
  if (ImGui::SmallButton(label.c_str())) ImGui::OpenPopup("hidden_slices");
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  note_place(ui, "slices_hidden");
  tooltip("The timeline leaves them out; numbers still count them. Click to bring them back.");
  if (!ImGui::BeginPopup("hidden_slices")) return;
  if (ImGui::MenuItem("Show all")) workspace.set_hidden({});
  note_place(ui, "show_all_slices");
  ImGui::Separator();
  const HiddenNames hidden = workspace.hidden();  // a click changes it
  const auto rows = std::min<std::size_t>(hidden.categories.size() + hidden.names.size(), 12);
  begin_child("list", {ui.px(400), (static_cast<float>(rows) + 0.5f) * ImGui::GetTextLineHeightWithSpacing()});
  int id = 0;
  for (const std::string& category : hidden.categories)
    if (hidden_entry(ui, "Category", category, ++id)) workspace.hide_category(category, false);
  for (const std::string& name : hidden.names)
    if (hidden_entry(ui, "Name", name, ++id)) workspace.hide_name(name, false);
  ImGui::EndChild();
  ImGui::EndPopup();
}

void hide_menu(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const bool is_open = ImGui::BeginMenu("Hide categories of slices", workspace.has_trace());
  note_place(ui, "hide_menu");
  if (!is_open) return;
  const Trace& trace = workspace.trace();
  std::string chosen;
  int id = 0;
  for (const Category& category : trace.categories()) {
    const std::string name(trace.text(category.name));
    if (name.empty()) continue;
    ImGui::PushID(++id);
    bool is_hidden = has_text(workspace.hidden().categories, name);
    if (ImGui::Checkbox("##hidden", &is_hidden)) chosen = name;
    note_place(ui, ("hide " + name).c_str());
    ImGui::SameLine();
    fitted_text(ui, name, ui.px(220));
    ImGui::SameLine(ui.px(270));
    muted_text(ui, counted(category.events, "event"));
    ImGui::PopID();
  }
  ImGui::EndMenu();
  if (!chosen.empty()) workspace.hide_category(chosen, !has_text(workspace.hidden().categories, chosen));
}

}  // namespace lacuna
