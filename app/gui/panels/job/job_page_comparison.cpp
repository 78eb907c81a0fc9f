#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/gui/core/files.h"
#include "app/gui/panels/job/job_page.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/tables/job_comparison_tables.h"

namespace lacuna {
namespace {

constexpr ImGuiTableFlags kJobTable = kDrawerTable & ~(ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY);

void draw_job_table(UiContext& ui, const JobTable& table) {
  if (table.rows == 0) return muted_text(ui, table.none);
  if (!table.title.empty()) text(table.title);
  const std::vector<const Table::Column*> shown = table.text_columns();
  std::vector<TableColumn> columns;
  for (const Table::Column* column : shown)
    columns.push_back({.title = column->title,
                       .sample = column->is_number ? std::string_view("123.45 ms") : std::string_view(),
                       .can_sort = false});
  if (!ImGui::BeginTable(table.title.c_str(), static_cast<int>(columns.size()), kJobTable)) return;
  table_headers(ui, "job_comparison", columns);
  for_each_row_in_view(table.rows, [&](std::size_t row) {
    ImGui::TableNextRow();
    for (const Table::Column* column : shown) {
      if (!ImGui::TableNextColumn()) continue;
      if (column->is_number)
        number_cell(ui, column->text(row));
      else
        fitted_text(ui, column->text(row));
    }
  });
  ImGui::EndTable();
}

}  // namespace

void JobPage::comparison(UiContext& ui) {
  const JobView::Comparison* comparison = view_.comparison();
  if (comparison == nullptr) return muted_text(ui, "Reading the other job\xE2\x80\xA6");
  if (!comparison->error.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(ui.theme.error, comparison->error);
    ImGui::PopTextWrapPos();
    return;
  }
  muted_text(ui,
             "B is " + (comparison->paths.size() == 1 ? comparison->paths.front() : files_title(comparison->paths)));
  note_place(ui, "job_comparison");
  for (const JobTable& table : job_comparison_tables(comparison->both)) {
    draw_job_table(ui, table);
    ImGui::Spacing();
  }
}

}  // namespace lacuna
