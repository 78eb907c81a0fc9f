// The part of the statistics page that groups slices by something else than their name.

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "app/gui/panels/statistics/statistics_panel.h"
#include "app/gui/panels/statistics/table_rows.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/tables/group_columns.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::array kChoices = {GroupBy::kShape, GroupBy::kModule, GroupBy::kStack, GroupBy::kStep, GroupBy::kStream,
                                 GroupBy::kRank,  GroupBy::kFamily, GroupBy::kClass, GroupBy::kName};

const std::vector<TableColumn>& group_looks() {
  static const std::vector<TableColumn> columns = [] {
    std::vector<TableColumn> all = {{.title = "Group", .text_px = 300}, {.title = "Category", .text_px = 92}};
    for (const GroupColumn& column : group_columns()) {
      TableColumn& look = all.emplace_back();
      look.title = std::string(column.title);
      look.help = column_definition("statistics", column.title);
      look.sample = "1,234.5 ms";
      look.sorted_at_first = column.key == "total";
    }
    return all;
  }();
  return columns;
}

/// Sums of sampled frames are estimates, as in the table of slices.
bool is_estimate(const Trace& trace, const GroupRow& row, const GroupColumn& column) {
  return (column.key == "total" || column.key == "self") && is_sampled(trace, row.category);
}

std::string cell_text(const Trace& trace, const GroupTable& table, const GroupRow& row, const GroupColumn& column) {
  std::string text = column.text_of(trace, table, row);
  return is_estimate(trace, row, column) ? marked_as_estimate(text) : text;
}

CopiedTable copied_groups(const Trace& trace, const GroupTable& table, std::span<const std::uint32_t> rows,
                          CopyFormat format) {
  CopiedTable copied;
  for (std::size_t c = 0; c < group_looks().size(); ++c) {
    copied.titles.push_back(format == CopyFormat::kCsv && c >= 2 ? std::string(group_columns()[c - 2].json)
                                                                 : group_looks()[c].title);
    copied.is_number.push_back(c >= 2);
  }
  for (const std::uint32_t index : rows) {
    const GroupRow& row = table.rows[index];
    std::vector<std::string>& cells = copied.rows.emplace_back();
    cells.push_back(row.label);
    cells.emplace_back(trace.category_name(row.category));
    for (const GroupColumn& column : group_columns()) {
      const bool is_text = format == CopyFormat::kText || column.words != nullptr;
      const double value = is_text ? 0 : column.value(trace, table, row);
      const bool is_known = value == value;
      cells.push_back(is_text    ? cell_text(trace, table, row, column)
                      : is_known ? fmt::format("{}", value)
                                 : std::string());
    }
  }
  return copied;
}

}  // namespace

void StatisticsPanel::group_choice(UiContext& ui) {
  ImGui::SameLine();
  ImGui::SetNextItemWidth(ui.px(132));
  const std::string chosen(group_by_name(groups_.by));
  if (ImGui::BeginCombo("##group_by", chosen.c_str())) {
    for (const GroupBy by : kChoices) {
      const std::string name(group_by_name(by));
      if (ImGui::Selectable(name.c_str(), by == groups_.by)) groups_.by = by;
    }
    ImGui::EndCombo();
  }
  note_place(ui, "group_by");
  tooltip("What the slices of a row have in common, beside their category.");
}

void StatisticsPanel::group_table(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const TimeSpan range = workspace.area().value_or(TimeSpan::everything());
  ui.state.asked_page = {groups_.by, range, workspace.counted_tracks()};
  groups_.ask(workspace.document(), range, workspace.counted_tracks());
  groups_.update();
  if (!groups_.error().empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.warning, groups_.error());
    ImGui::PopTextWrapPos();
    return;
  }
  if (groups_.table() == nullptr) return awaited_table(ui);
  if (groups_.rows().empty() && !groups_.is_computing())
    return no_rows(ui, groups_.filter, groups_.side, "group or category");
  if (groups_.remote() != nullptr)
    rows_left_out(ui, groups_.table()->rows.size(), groups_.remote()->rows_left_out, "group");
  const std::vector<TableColumn>& columns = group_looks();
  if (!ImGui::BeginTable(
          "groups", static_cast<int>(columns.size()),
          kDrawerTable | ImGuiTableFlags_Hideable | ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit,
          ImGui::GetContentRegionAvail())) {
    return;
  }
  table_headers(ui, "groups", columns);
  int column = 0;
  if (table_order_changed(column, groups_.descending) && column >= 0) {
    groups_.sort = column < 2 ? std::string_view("label") : group_columns()[static_cast<std::size_t>(column) - 2].key;
    groups_.update();
  }
  for_each_row_in_view(groups_.rows().size(), [&](std::size_t i) { group_row(ui, groups_.rows()[i]); });
  ImGui::EndTable();
}

void StatisticsPanel::group_row(UiContext& ui, std::uint32_t index) {
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const GroupTable& table = *groups_.table();
  const GroupRow& row = table.rows[index];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_chosen = workspace.selection().slice == row.longest && row.longest.valid();
  const LongestSlice* remote = groups_.remote() != nullptr ? &groups_.remote()->longest[index] : nullptr;
  const auto show = [&] {
    if (remote != nullptr) {
      workspace.go_to_remote(AskedSlice{remote->lane, remote->span});
    } else {
      workspace.go_to(row.longest);
      workspace.highlight(groups_.options(), index);
    }
    torch_name_.clear();  // no row of torch's table is what is highlighted now
  };
  if (ImGui::Selectable("##group", is_chosen, kRowFlags)) {
    show();
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) workspace.focus();
  }
  if (index == groups_.rows().front()) note_place(ui, "first_group_row");
  const RowMenu menu{row.label, trace.category_name(row.category), is_chosen, [&] {
                       return copied_groups(trace, table, {&index, 1}, CopyFormat::kText).text();
                     }};
  act_on_row(ui, false, row_menu(ui, menu, groups_.filter), is_chosen, show);
  ImGui::SameLine(0, 0);
  const CategoryClass category = trace.category_class(row.category);
  const bool is_class = groups_.by == GroupBy::kClass && is_gpu_activity(category);
  const std::string_view longest = remote != nullptr ? remote->name : is_class ? trace.name(row.longest) : "";
  colour_swatch(
      ui, is_class ? ui.palette.of_class(kernel_class(category, longest)).fill : ui.palette.slice(row.label, category));
  ImGui::SameLine(0, ui.px(6));
  fitted_kernel_name(ui, row.label, groups_.by == GroupBy::kName ? category : CategoryClass::kOther);
  if (ImGui::TableNextColumn()) fitted_text(ui, trace.category_name(row.category), 0, true);
  for (std::size_t c = 0; c < group_columns().size(); ++c) {
    if (!ImGui::TableNextColumn()) continue;
    const GroupColumn& column = group_columns()[c];
    const std::string value = cell_text(trace, table, row, column);
    const std::string exact = column.words != nullptr || !column.is_whole || value == "-"
                                  ? value
                                  : fmt::format("{} ({:.0f}{})", value, column.value(trace, table, row),
                                                is_estimate(trace, row, column) ? ", an estimate from samples" : "");
    explained_number(ui, "groups", group_looks()[c + 2], value, exact, value == "-");
  }
}

void StatisticsPanel::copy_groups(UiContext& ui, CopyFormat format) {
  if (groups_.table() == nullptr) return;
  const CopiedTable copied = copied_groups(ui.workspace().trace(), *groups_.table(), groups_.rows(), format);
  ui.requests.add(ask::Copy{format == CopyFormat::kCsv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
