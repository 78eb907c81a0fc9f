#include "app/gui/panels/widgets/table_parts.h"

#include <algorithm>
#include <cmath>

#include "app/gui/panels/widgets/widgets.h"
#include "app/tables/csv.h"
#include "model/help/column_help.h"

namespace lacuna {
namespace {

constexpr double kRestSeconds = 0.35;

std::string settings_key(std::string_view table, std::string_view title) {
  return std::string(table) + "/" + std::string(title);
}

ImGuiTableColumnFlags flags_of(const TableColumn& column, bool is_hidden) {
  ImGuiTableColumnFlags flags = 0;
  const bool is_number = !column.sample.empty();
  flags |= is_number || column.text_px > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
  flags |= is_number || column.only_descending ? ImGuiTableColumnFlags_PreferSortDescending
                                               : ImGuiTableColumnFlags_PreferSortAscending;
  if (column.only_descending) flags |= ImGuiTableColumnFlags_NoSortAscending;
  if (!column.can_sort) flags |= ImGuiTableColumnFlags_NoSort;
  if (column.sorted_at_first) flags |= ImGuiTableColumnFlags_DefaultSort;
  if (is_hidden) flags |= ImGuiTableColumnFlags_DefaultHide;
  return flags;
}

}  // namespace

std::string_view column_definition(std::string_view table, std::string_view title) {
  // Asked for many labels in every frame.
  for (const ColumnHelp& help : column_help())
    if (help.table == table && help.title == title) return help.definition;
  // "Self XPU" is "Self CUDA".
  if (table != "torch") return {};
  for (const ColumnHelp* help : explain_column(title))
    if (help->table == table) return help->definition;
  return {};
}

float least_table_px(const UiContext& ui, std::string_view table, std::span<const TableColumn> columns) {
  constexpr float kLeastTextPx = 130;
  const std::vector<std::string>& hidden = ui.settings.hidden_columns;
  const float padding = 2 * ImGui::GetStyle().CellPadding.x + 1;
  float fixed = 0, weights = 0, lightest = 1;
  for (const TableColumn& c : columns) {
    if (std::ranges::find(hidden, settings_key(table, c.title)) != hidden.end()) continue;
    fixed += padding;
    if (!c.sample.empty()) {
      fixed += number_column_px(ui, c.title.c_str(), c.sample) + ui.px(c.bar_px);
    } else if (c.text_px > 0) {
      fixed += ui.px(c.text_px);
    } else {
      lightest = weights == 0 ? c.weight : std::min(lightest, c.weight);
      weights += c.weight;
    }
  }
  // Columns of text share the rest by their weights.
  return std::ceil(fixed + ui.px(kLeastTextPx) * weights / lightest + ImGui::GetStyle().ScrollbarSize);
}

void table_headers(UiContext& ui, std::string_view table, std::span<const TableColumn> columns) {
  std::vector<std::string>& hidden = ui.settings.hidden_columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const TableColumn& c = columns[i];
    const bool is_hidden = std::ranges::find(hidden, settings_key(table, c.title)) != hidden.end();
    ImGuiTableColumnFlags flags = flags_of(c, is_hidden);
    if (i == 0) flags |= ImGuiTableColumnFlags_NoHide;
    const float width = !c.sample.empty() ? number_column_px(ui, c.title.c_str(), c.sample) + ui.px(c.bar_px)
                        : c.text_px > 0   ? ui.px(c.text_px)
                                          : c.weight;
    ImGui::TableSetupColumn(c.title.c_str(), flags, width, static_cast<ImGuiID>(i));
  }
  const bool scrolls_sideways = ImGui::GetScrollMaxX() > 0;
  ImGui::TableSetupScrollFreeze(scrolls_sideways ? 1 : 0, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int index = static_cast<int>(i);
    if ((ImGui::TableGetColumnFlags(index) & ImGuiTableColumnFlags_IsEnabled) == 0) {
      const std::string key = settings_key(table, columns[i].title);
      if (std::ranges::find(hidden, key) == hidden.end()) hidden.push_back(key);
      continue;
    }
    std::erase(hidden, settings_key(table, columns[i].title));
    if (!ImGui::TableSetColumnIndex(index)) continue;
    ImGui::PushID(index);
    if (columns[i].sample.empty()) {
      ImGui::TableHeader(columns[i].title.c_str());
    } else {
      number_header(ui, columns[i].title.c_str());
    }
    note_place(ui, ("header " + columns[i].title).c_str());
    const std::string_view help =
        columns[i].help.empty() ? column_definition(table, columns[i].title) : columns[i].help;
    if (!help.empty()) tooltip(help);
    ImGui::PopID();
  }
}

bool table_order_changed(int& column, bool& descending) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return false;
  specs->SpecsDirty = false;
  if (specs->SpecsCount == 0) {
    column = -1;
    return true;
  }
  column = static_cast<int>(specs->Specs[0].ColumnUserID);
  descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  return true;
}

bool mouse_rests(UiContext& ui) {
  const double still_s = ImGui::GetTime() - ui.state.mouse_moved_s;
  if (still_s >= kRestSeconds) return true;
  ui.state.redraw_in_s = kRestSeconds - still_s;
  return false;
}

void explained_number(UiContext& ui, std::string_view table, const TableColumn& column, std::string_view value,
                      std::string_view exact, bool muted) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end(at.x + ImGui::GetContentRegionAvail().x, at.y + ImGui::GetTextLineHeight());
  number_cell(ui, value, muted);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(at, end) || !mouse_rests(ui)) return;
  begin_tooltip(ui, 440);
  text(column.title);
  ImGui::SameLine(0, ui.px(10));
  coloured_text(ui.theme.accent, exact);
  const std::string_view help = column.help.empty() ? column_definition(table, column.title) : column.help;
  muted_text(ui, help);
  end_tooltip();
}

namespace {

std::size_t characters(std::string_view s) {
  return static_cast<std::size_t>(
      std::ranges::count_if(s, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

}  // namespace

std::string CopiedTable::csv() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += ',';
      out += csv_field(cells[i]);
    }
    out += "\r\n";
  };
  line(titles);
  for (const auto& row : rows) line(row);
  return out;
}

std::string CopiedTable::text() const {
  std::vector<std::size_t> widths;
  for (const std::string& title : titles) widths.push_back(characters(title));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
  std::string out;
  const auto line = [&](std::vector<std::string> cells) {
    std::string whole;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::ranges::replace(cells[i], '\n', ' ');
      const std::string room(widths[i] - characters(cells[i]), ' ');
      if (i > 0) whole += "  ";
      whole += is_number[i] ? room + cells[i] : cells[i] + room;
    }
    while (!whole.empty() && whole.back() == ' ') whole.pop_back();
    out += whole + '\n';
  };
  line(titles);
  for (const auto& row : rows) line(row);
  return out;
}

CopiedTable copied_columns(std::span<const TableColumn> columns, CopyFormat format) {
  CopiedTable copied;
  for (const TableColumn& column : columns) {
    if (!column.is_copied) continue;
    const bool has_unit = format == CopyFormat::kCsv && !column.unit.empty();
    copied.titles.push_back(has_unit ? column.title + " (" + std::string(column.unit) + ")" : column.title);
    copied.is_number.push_back(!column.sample.empty());
  }
  return copied;
}

CopiedTable copied_report_table(const ReportTable& table) {
  CopiedTable copied;
  for (const ReportTable::Column& column : table.columns) {
    copied.titles.push_back(column.title);
    copied.is_number.push_back(column.is_number);
  }
  copied.rows = table.rows;
  return copied;
}

std::optional<CopyFormat> copy_button(const UiContext& ui, std::string_view what) {
  std::optional<CopyFormat> chosen;
  ImGui::PushID("copy");
  if (ImGui::Button("Copy")) ImGui::OpenPopup("copy_as");
  note_place(ui, "copy");
  tooltip("Copies the rows shown to the clipboard.");
  if (ImGui::BeginPopup("copy_as")) {
    muted_text(ui, what);
    if (ImGui::Selectable("As text")) chosen = CopyFormat::kText;
    note_place(ui, "copy_text");
    if (ImGui::Selectable("As CSV")) chosen = CopyFormat::kCsv;
    note_place(ui, "copy_csv");
    ImGui::EndPopup();
  }
  ImGui::PopID();
  return chosen;
}

}  // namespace lacuna
