// The part of the statistics page that shows torch.profiler's table.

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "app/gui/panels/statistics/statistics_panel.h"
#include "app/gui/panels/statistics/table_rows.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/torch/torch_format.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::array<std::uint32_t, 4> kStackChoices = {0, 1, 3, 5};

/// A column's title for its definition: whatever the device, help speaks of CUDA.
TableColumn look_of(const TorchColumn& column, bool sorted_at_first) {
  TableColumn look;
  look.title = column.title;
  look.help = column_definition("torch", column.title);
  if (!column.is_text) look.sample = column.title.ends_with('%') ? "100.00%" : "123.456ms";
  if (column.is_text) look.text_px = column.title == "Name" ? 260 : 300;
  look.can_sort = column.sort != TorchSortKey::kNone;
  look.only_descending = true;
  look.sorted_at_first = sorted_at_first;
  return look;
}

CopiedTable copied_torch(std::span<const TorchColumn> columns, const TorchTable& table, const TorchTotals& totals,
                         std::span<const std::uint32_t> rows) {
  CopiedTable copied;
  for (const TorchColumn& column : columns) {
    copied.titles.push_back(column.title);
    copied.is_number.push_back(!column.is_text);
  }
  for (const std::uint32_t index : rows) {
    std::vector<std::string>& cells = copied.rows.emplace_back();
    for (const TorchColumn& column : columns) cells.push_back(column.cell(table, totals, table.rows[index]));
  }
  return copied;
}

std::string time_of(Nanos ns) {
  return torch_time(static_cast<double>(ns) / 1000.0);
}

}  // namespace

void StatisticsPanel::torch_options(UiContext& ui) {
  TorchView& view = ui.workspace().torch();
  ImGui::SameLine();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  if (segment(ui, "Sum", !view.covered)) view.covered = false;
  note_place(ui, "time_sum");
  tooltip("Durations added up, as torch does: kernels that overlap on two streams count twice.");
  ImGui::SameLine();
  if (segment(ui, "Union", view.covered)) view.covered = true;
  note_place(ui, "time_union");
  tooltip("Time covered: what overlaps counts once. \"Overlap\" is by how much torch's sums are larger.");
  ImGui::PopStyleVar();
  ImGui::SameLine();
  const bool is_grouped =
      view.options.by_shape || view.options.stack_frames > 0 || view.options.python_functions || view.top_level_only;
  if (segment(ui, "Options", is_grouped)) ImGui::OpenPopup("torch_options");
  note_place(ui, "torch_options");
  tooltip("Group by input shape or stack; top-level rows; Python functions.");
  if (!ImGui::BeginPopup("torch_options")) return;
  ImGui::Checkbox("Group by input shape", &view.options.by_shape);
  note_place(ui, "by_shape");
  tooltip("group_by_input_shape=True. Needs record_shapes=True when recording.");
  ImGui::Checkbox("Only top-level events", &view.top_level_only);
  tooltip("top_level_events_only=True: rows whose first event lies in no other.");
  ImGui::Checkbox("Python functions", &view.options.python_functions);
  tooltip("Rows for Python frames (with_stack=True); torch leaves them out.");
  muted_text(ui, "Group by stack");
  tooltip("group_by_stack_n. Needs with_stack=True and verbose=True when recording.");
  for (const std::uint32_t frames : kStackChoices) {
    ImGui::SameLine();
    const std::string label = frames == 0 ? "no" : std::to_string(frames);
    if (segment(ui, label.c_str(), view.options.stack_frames == frames)) view.options.stack_frames = frames;
  }
  ImGui::EndPopup();
}

void StatisticsPanel::torch_table(UiContext& ui) {
  TorchView& view = ui.workspace().torch();
  view.update();
  if (!view.error().empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.warning, view.error());
    ImGui::PopTextWrapPos();
    return;
  }
  const TorchTable* table = view.table();
  if (table == nullptr) return awaited_table(ui);
  if (table->rows.empty()) {
    muted_text(ui, ui.workspace().area() ? "No events of torch start in the selected range."
                                         : "No events of torch in this trace.");
    scope_text(ui, ScopeOf::kTime);
    return;
  }
  if (view.rows().empty()) return no_rows(ui, view.filter, view.side, "name");
  rows_left_out(ui, table->rows.size(), view.rows_left_out(), "row");
  const std::vector<TorchColumn> columns = torch_columns(*table, view.totals(), view.options, view.covered);
  const TorchSortKey first = view.totals().has_device_time ? TorchSortKey::kSelfDevice : TorchSortKey::kSelfCpu;
  std::vector<TableColumn> looks;
  bool is_marked = false;
  for (const TorchColumn& column : columns) {
    const bool is_first = !is_marked && column.sort == first && !column.title.ends_with('%');
    is_marked = is_marked || is_first;
    looks.push_back(look_of(column, is_first));
  }
  // Another set of columns is another table to ImGui.
  const std::string id =
      fmt::format("torch{}{}{}{}", view.covered, columns.size(), view.options.by_shape, view.options.stack_frames > 0);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float footer = ImGui::GetTextLineHeightWithSpacing() + ui.px(3);
  if (ImGui::BeginTable(id.c_str(), static_cast<int>(columns.size()),
                        kDrawerTable | ImGuiTableFlags_Hideable | ImGuiTableFlags_ScrollX |
                            ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_SortTristate,
                        {room.x, std::max(ui.px(60), room.y - footer)})) {
    table_headers(ui, "torch", looks);
    int column = 0;
    bool descending = true;
    if (table_order_changed(column, descending)) {
      view.sort = column < 0 ? TorchSortKey::kNone : columns[static_cast<std::size_t>(column)].sort;
      view.update();
    }
    for_each_row_in_view(view.rows().size(), [&](std::size_t i) { torch_row(ui, columns, looks, view.rows()[i]); });
    ImGui::EndTable();
  }
  torch_footers(ui);
}

void StatisticsPanel::torch_row(UiContext& ui, const std::vector<TorchColumn>& columns,
                                const std::vector<TableColumn>& looks, std::uint32_t index) {
  Workspace& workspace = ui.workspace();
  const TorchTable& table = *workspace.torch().table();
  const TorchTotals& totals = workspace.torch().totals();
  const TorchRow& row = table.rows[index];
  const bool is_chosen = !workspace.occurrences().empty() && !workspace.occurrences().name().valid() &&
                         torch_name_ == row.name && torch_on_gpu_ == row.is_on_gpu &&
                         torch_is_annotation_ == row.is_annotation;
  const CategoryClass meaning = row.is_on_gpu
                                    ? (row.is_annotation ? CategoryClass::kGpuAnnotation : CategoryClass::kKernel)
                                    : (row.is_annotation ? CategoryClass::kCpuAnnotation : CategoryClass::kCpuOperator);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_pressed = ImGui::Selectable("##row", is_chosen, kRowFlags);
  if (index == workspace.torch().rows().front()) note_place(ui, "first_torch_row");
  const RowMenu menu{row.name, {}, is_chosen, [&] { return copied_torch(columns, table, totals, {&index, 1}).text(); }};
  act_on_row(ui, is_pressed, row_menu(ui, menu, workspace.torch().filter), is_chosen, [&] {
    torch_name_ = row.name;
    torch_on_gpu_ = row.is_on_gpu;
    torch_is_annotation_ = row.is_annotation;
    drop_other_selection(ui, StringId{}, CategoryId{});
    workspace.highlight(row);
  });
  ImGui::SameLine(0, 0);
  colour_swatch(ui, ui.palette.slice(row.name, meaning));
  ImGui::SameLine(0, ui.px(6));
  fitted_name(ui, row.name);
  for (std::size_t c = 1; c < columns.size(); ++c) {
    if (!ImGui::TableNextColumn()) continue;
    std::string cell = columns[c].cell(table, totals, row);
    if (cell == "NaN") cell = "-";  // a share of nothing, where all events are of no length
    if (columns[c].is_text) {
      // One line in the row; the rest of a stack in the tooltip.
      const std::string_view line = std::string_view(cell).substr(0, cell.find('\n'));
      fitted_text(ui, line, 0, true);
      if (line.size() < cell.size()) tooltip(cell);
    } else {
      explained_number(ui, "torch", looks[c], cell, cell);
    }
  }
}

void StatisticsPanel::torch_footers(UiContext& ui) {
  const TorchView& view = ui.workspace().torch();
  const TorchTable& table = *view.table();
  const TorchTotals& totals = view.totals();
  std::string facts = "Self CPU time total: " + torch_time(totals.self_cpu);
  if (totals.has_device_time) {
    facts += fmt::format("    Self {} time total: {}", table.device_name, torch_time(totals.self_device));
  }
  if (view.covered) {
    facts += "    CPU covered: " + time_of(table.cpu_covered);
    if (totals.has_device_time) {
      const double overlap = totals.self_device - static_cast<double>(table.device_covered) / 1000.0;
      facts += fmt::format("    {} covered: {}, overlap: {}", table.device_name, time_of(table.device_covered),
                           torch_time(overlap));
    }
  }
  text(facts);
  tooltip(
      "As below torch's table: the sums over all rows, shown or not. Self CUDA counts the rows of "
      "kernels, copies and sets, not their operators' again.");
  ImGui::SameLine(0, ui.px(18));
  muted_text(ui, counted(view.rows().size(), "row"));
  ImGui::SameLine(0, ui.px(12));
  scope_text(ui, ScopeOf::kTime);
  if (ui.workspace().area())
    tooltip(
        "Events that start in the range, as if the profiler had run just then: an operator that "
        "began before it is left out, one that began in it counts whole.");
}

void StatisticsPanel::copy_torch(UiContext& ui, CopyFormat format) {
  const TorchView& view = ui.workspace().torch();
  const TorchTable* table = view.table();
  if (table == nullptr) return;
  if (format == CopyFormat::kText) {
    ui.requests.add(ask::Copy{view.text()});
    return;
  }
  const std::vector<TorchColumn> columns = torch_columns(*table, view.totals(), view.options, view.covered);
  ui.requests.add(ask::Copy{copied_torch(columns, *table, view.totals(), view.rows()).csv()});
}

}  // namespace lacuna
