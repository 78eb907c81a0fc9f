// The part of the gaps page that shows dead windows: annotations, and the time in them before
// anything happens.

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/panels/gaps/gaps_panel.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr ImGuiTableFlags kDeadFlags = kDrawerTable & ~ImGuiTableFlags_Sortable;
constexpr float kInstancesPart = 0.44f;

const std::vector<TableColumn> kGroupColumns = {{.title = "Annotation", .can_sort = false},
                                                {.title = "Instances", .sample = "12,345", .can_sort = false},
                                                {.title = "Dead", .sample = "123.4 ms", .can_sort = false},
                                                {.title = "Median", .sample = "123.4 ms", .can_sort = false},
                                                {.title = "Longest", .sample = "123.4 ms", .can_sort = false},
                                                {.title = "To GPU", .sample = "123.4 ms", .can_sort = false},
                                                {.title = "Outliers", .sample = "12,345", .can_sort = false}};

const std::vector<TableColumn> kInstanceColumns = {{.title = "Instance", .can_sort = false},
                                                   {.title = "Start", .sample = "1,234.5 ms", .can_sort = false},
                                                   {.title = "Dead", .sample = "123.4 ms", .can_sort = false},
                                                   {.title = "To GPU", .sample = "123.4 ms", .can_sort = false}};

/// A number that stands out: in the warning colour, with a mark for those who do not see colours.
void outlier_cell(UiContext& ui, const TableColumn& column, Nanos value, bool is_known, bool is_outlier, Nanos median) {
  if (!ImGui::TableNextColumn()) return;
  if (!is_known) return number_cell(ui, "\xE2\x80\x93", true);
  if (is_outlier) {
    coloured_text(ui.theme.warning, "!");
    tooltip(fmt::format("An outlier: the median is {}.", format_duration(median)));
    ImGui::SameLine(0, 0);
  }
  explained_number(ui, "dead", column, format_duration(value), format_duration_exact(value));
}

}  // namespace

void GapsPanel::dead_windows(UiContext& ui) {
  const CauseAnalysis* analysis = ui.workspace().causes().analysis();
  if (analysis == nullptr) {
    muted_text(ui, "Looking for annotations\xE2\x80\xA6");
    return;
  }
  if (analysis->is_growing) {
    muted_text(ui, "Dead windows appear when the recording has ended.");
    return;
  }
  if (analysis->dead_windows.empty()) {
    muted_text(ui, "No annotations (record_function, ProfilerStep) in this trace.");
    return;
  }
  const Trace& trace = ui.workspace().trace();
  const std::vector<DeadWindowGroup>& groups = analysis->dead_windows;
  const DeadWindowGroup* chosen = &groups.front();
  for (const DeadWindowGroup& group : groups)
    if (group.name == chosen_annotation_) chosen = &group;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float instances_px = std::floor(room.x * kInstancesPart);
  begin_child("groups", {room.x - instances_px - ui.px(8), room.y});
  if (ImGui::BeginTable("dead_groups", static_cast<int>(kGroupColumns.size()), kDeadFlags | ImGuiTableFlags_Hideable,
                        ImGui::GetContentRegionAvail())) {
    table_headers(ui, "dead", kGroupColumns);
    for_each_row_in_view(groups.size(), [&](std::size_t i) {
      const DeadWindowGroup& group = groups[i];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      if (ImGui::Selectable("##group", &group == chosen, ImGuiSelectableFlags_SpanAllColumns))
        chosen_annotation_ = group.name;
      if (i == 0) note_place(ui, "first_group");
      ImGui::SameLine(0, 0);
      fitted_name(ui, group.label(trace));
      if (ImGui::TableNextColumn()) number_cell(ui, format_count(group.instances.size()));
      const Nanos times[] = {group.total, group.median, group.longest, group.median_on_gpu};
      for (std::size_t c = 0; c < 4; ++c)
        if (ImGui::TableNextColumn())
          explained_number(ui, "dead", kGroupColumns[c + 2], format_duration(times[c]),
                           format_duration_exact(times[c]));
      if (ImGui::TableNextColumn()) {
        if (group.outliers > 0) {
          coloured_text(ui.theme.warning, "!");
          ImGui::SameLine(0, 0);
        }
        number_cell(ui, group.outliers == 0 ? "" : format_count(group.outliers));
      }
    });
    ImGui::EndTable();
  }
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(8));
  begin_child("instances", {instances_px, room.y});
  dead_instances(ui, *chosen);
  ImGui::EndChild();
}

void GapsPanel::dead_instances(UiContext& ui, const DeadWindowGroup& group) {
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  if (!ImGui::BeginTable("dead_instances", static_cast<int>(kInstanceColumns.size()), kDeadFlags,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  table_headers(ui, "dead_instances", kInstanceColumns);
  for_each_row_in_view(group.instances.size(), [&](std::size_t i) {
    const DeadWindow& window = group.instances[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool is_selected = workspace.selection().slice == window.annotation;
    if (ImGui::Selectable("##instance", is_selected, ImGuiSelectableFlags_SpanAllColumns))
      workspace.go_to(window.annotation);
    if (i == 0) note_place(ui, "first_instance");
    ImGui::SameLine(0, 0);
    fitted_name(ui, trace.name(window.annotation));
    if (ImGui::TableNextColumn()) number_cell(ui, time_text(ui, trace.span(window.annotation).begin), true);
    outlier_cell(ui, kInstanceColumns[2], window.dead, true, window.is_outlier, group.median);
    outlier_cell(ui, kInstanceColumns[3], window.dead_on_gpu, window.first_activity.valid(), window.is_outlier_on_gpu,
                 group.median_on_gpu);
  });
  ImGui::EndTable();
}

}  // namespace lacuna
