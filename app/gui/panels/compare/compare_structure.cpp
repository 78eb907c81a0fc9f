// Both traces as one tree of modules, operators and kernels, with what differs.

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/panels/compare/compare_panel.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/tables/structure_words.h"

namespace lacuna {
namespace {

const std::vector<TableColumn>& structure_columns() {
  static const std::vector<TableColumn> kColumns = {
      {.title = "Place", .can_sort = false},
      {.title = "How", .text_px = 70, .can_sort = false},
      {.title = "Calls A", .sample = "12,345.6", .can_sort = false},
      {.title = "Calls B", .sample = "12,345.6", .can_sort = false},
      {.title = "Kernel time A", .sample = "123.4 ms", .unit = "ns", .can_sort = false},
      {.title = "Kernel time B", .sample = "123.4 ms", .unit = "ns", .can_sort = false},
      {.title = "B \xE2\x88\x92 A", .sample = "+123.4 ms", .unit = "ns", .can_sort = false}};
  return kColumns;
}

Rgba structure_colour(const UiContext& ui, const StructureRow& row) {
  const StructureSide& side = row.a.is_there() ? row.a : row.b;
  const CategoryClass category = row.kind == StructureKind::kKernel   ? CategoryClass::kKernel
                                 : row.kind == StructureKind::kModule ? CategoryClass::kPythonFunction
                                                                      : CategoryClass::kCpuOperator;
  return ui.palette.slice(side.names.front(), category);
}

std::string both_titles(const StructureRow& row) {
  const StructureTitles titles = structure_titles(row);
  return titles.second.empty() ? titles.first : titles.first + " \xE2\x86\x92 " + titles.second;
}

/// Where a click opens or closes the row.
void tree_mark(const UiContext& ui, ImVec2 at, bool is_open) {
  const float r = ui.px(3.5f);
  const ImVec2 centre(at.x + ui.px(5), at.y + ImGui::GetTextLineHeight() * 0.5f);
  const ImU32 colour = to_imgui(ui.theme.muted);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (is_open)
    draw.AddTriangleFilled({centre.x - r, centre.y - r * 0.6f}, {centre.x + r, centre.y - r * 0.6f},
                           {centre.x, centre.y + r}, colour);
  else
    draw.AddTriangleFilled({centre.x - r * 0.6f, centre.y - r}, {centre.x + r, centre.y},
                           {centre.x - r * 0.6f, centre.y + r}, colour);
}

}  // namespace

void ComparePanel::structure(UiContext& ui) {
  view_.update();
  if (const std::string why = structure_without_modules(view_.diff()->structure); !why.empty()) muted_text(ui, why);
  if (view_.structure.visible().empty()) return muted_text(ui, "No place matches the filter.");
  const std::vector<TableColumn>& looks = structure_columns();
  if (!ImGui::BeginTable("diff_structure", static_cast<int>(looks.size()),
                         (kDrawerTable & ~ImGuiTableFlags_Sortable) | ImGuiTableFlags_Hideable,
                         ImGui::GetContentRegionAvail()))
    return;
  table_headers(ui, "diff_structure", looks);
  for_each_row_in_view(view_.structure.visible().size(), [&](std::size_t i) {
    // A row before it may just have been closed.
    if (i < view_.structure.visible().size()) structure_row(ui, view_.structure.visible()[i]);
  });
  ImGui::EndTable();
}

void ComparePanel::structure_row(UiContext& ui, std::uint32_t index) {
  const TraceDiff& diff = *view_.diff();
  const StructureRow& row = diff.structure.rows[index];
  const std::vector<TableColumn>& looks = structure_columns();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const float left = ImGui::GetCursorPosX();
  const float indent = std::min(static_cast<float>(row.depth) * ui.px(12), ImGui::GetContentRegionAvail().x * 0.6f);
  const ImVec2 mark(ImGui::GetCursorScreenPos().x + indent, ImGui::GetCursorScreenPos().y);
  const bool can_open = view_.structure.can_open(index) && view_.filter.empty();
  const bool was_open = view_.structure.is_open(index);
  if (ImGui::Selectable("##place", false, ImGuiSelectableFlags_SpanAllColumns)) {
    const float x = ImGui::GetMousePos().x;
    if (can_open && x >= mark.x - ui.px(3) && x < mark.x + ui.px(14))
      view_.structure.toggle(index);
    else
      show_both(ui, row.a.longest, row.b.longest);
  }
  const std::string titles = both_titles(row);
  note_place(ui, ("place " + titles).c_str());
  if (can_open) {
    tree_mark(ui, mark, was_open);
    ui.observed.places["open " + titles] = {mark.x + ui.px(5), mark.y + ImGui::GetTextLineHeight() * 0.5f};
  }
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(left + indent + ui.px(14));
  if (row.kind != StructureKind::kRoot) {
    colour_swatch(ui, structure_colour(ui, row));
    ImGui::SameLine(0, ui.px(6));
  }
  fitted_text(ui, titles);
  ImGui::TableNextColumn();
  muted_text(ui, structure_relation_name(row.relation));
  const auto shown = structure_cells(diff, row, false, "\xE2\x80\x93"),
             whole = structure_cells(diff, row, true, "\xE2\x80\x93");
  for (std::size_t c = 0; c < shown.size(); ++c)
    if (ImGui::TableNextColumn())
      explained_number(ui, "diff_structure", looks[c + 2], shown[c], c < 2 ? whole[c] : whole[c] + " ns",
                       row.moved == 0);
}

void ComparePanel::copy_structure(CopiedTable& copied, CopyFormat format) const {
  copied = copied_columns(structure_columns(), format);
  for (const std::uint32_t index : view_.structure.visible()) {
    const StructureRow& row = view_.diff()->structure.rows[index];
    const bool is_csv = format == CopyFormat::kCsv;
    std::vector<std::string> cells{is_csv ? row.name() : std::string(2 * row.depth, ' ') + both_titles(row),
                                   std::string(structure_relation_name(row.relation))};
    for (std::string& cell : structure_cells(*view_.diff(), row, is_csv, "\xE2\x80\x93"))
      cells.push_back(std::move(cell));
    copied.rows.push_back(std::move(cells));
  }
}

}  // namespace lacuna
