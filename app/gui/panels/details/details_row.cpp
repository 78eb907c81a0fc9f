// Details of a chosen row of a table: its numbers, and the ways to its places.

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// A number of the statistics table, with the definition that it has there.
void statistic(const UiContext& ui, std::string_view title, std::string_view value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  muted_text(ui, title);
  tooltip(column_definition("statistics", title));
  ImGui::TableNextColumn();
  text(value);
}

const StatisticsRow* row_of(const Workspace& workspace, StringId name, CategoryId category) {
  for (const StatisticsRow& row : workspace.statistics().rows)
    if (row.name == name && row.category == category) return &row;
  return nullptr;
}

void row_links(UiContext& ui, std::string_view name) {
  Workspace& workspace = ui.workspace();
  if (link(ui, "Next place")) workspace.step_occurrence(1);
  note_place(ui, "row_next_place");
  tooltip(with_key(ui, "Selects the next slice of this row", "next_occurrence"));
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Zoom")) workspace.step_occurrence(1, true);
  tooltip("Selects the next slice of this row and zooms to it, as a double click on the row does.");
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Copy name")) ui.requests.add(ask::Copy{std::string(name)});
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Clear")) workspace.clear_highlight();
  tooltip("Ends the highlighting (Esc).");
}

void row_numbers(const UiContext& ui, const StatisticsRow& row) {
  const Trace& trace = ui.workspace().trace();
  statistic(ui, "Category", trace.category_name(row.category));
  statistic(ui, "Count", format_count(row.count));
  const auto sum = [&](Nanos t) {
    return is_sampled(trace, row.category) ? marked_as_estimate(format_duration(t)) : format_duration(t);
  };
  statistic(ui, "Total", sum(row.total));
  statistic(ui, "Self", sum(row.self));
  const double share = ui.workspace().statistics().share(trace, row);
  if (share > 0) statistic(ui, "Share", format_percent(share));
  statistic(ui, "Avg", format_duration(row.average()));
  statistic(ui, "Min", format_duration(row.min));
  if (row.p50 >= 0) statistic(ui, "P50", format_duration(row.p50));
  if (row.p99 >= 0) statistic(ui, "P99", format_duration(row.p99));
  statistic(ui, "Max", format_duration(row.max));
}

}  // namespace

bool draw_row_details(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const Occurrences& found = workspace.occurrences();
  const bool is_name = found.name().valid();
  if (!is_name && workspace.highlighted_row().empty()) return false;
  const Trace& trace = workspace.trace();
  const std::string name(is_name ? trace.text(found.name()) : std::string_view(workspace.highlighted_row()));
  const StatisticsRow* row = is_name ? row_of(workspace, found.name(), found.category()) : nullptr;
  const CategoryClass meaning = is_name ? trace.category_class(found.category()) : CategoryClass::kOther;
  details_heading(ui, is_name ? ui.palette.slice(name, meaning) : ui.theme.accent, name);
  row_links(ui, name);
  // First what the row of the table does not show.
  if (workspace.is_finding_occurrences()) muted_text(ui, "looking for its places\xE2\x80\xA6");
  draw_histogram(ui);
  if (begin_facts(ui, "row")) {
    if (row != nullptr) {
      row_numbers(ui, *row);
    } else if (found.histogram().count > 0) {
      statistic(ui, "Count", format_count(found.histogram().count));
      statistic(ui, "Min", format_duration(found.histogram().min));
      statistic(ui, "P50", format_duration(found.histogram().p50));
      statistic(ui, "P99", format_duration(found.histogram().p99));
      statistic(ui, "Max", format_duration(found.histogram().max));
    }
    end_facts();
  }
  return true;
}

}  // namespace lacuna
