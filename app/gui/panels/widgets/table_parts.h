#pragma once
// Common parts of the drawer's tables: columns with explanations that the user can hide, and
// copying.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "model/report/report_words.h"

namespace lacuna {

/// One column of a table in the window.
struct TableColumn {
  std::string title;
  std::string_view help = {};    ///< definition; empty: looked up in column_help()
  std::string_view sample = {};  ///< sample text that sets the width of a column of numbers; empty: a text column
  std::string_view unit = {};    ///< of a column of numbers in copied CSV, which has them whole: "ns"; empty: none
  float text_px = 0;             ///< width of a text column at scale 1; 0: it shares the remaining width
  float weight = 1;              ///< its weight in sharing that width
  float bar_px = 0;              ///< width of the bar before each number; 0: none
  bool can_sort = true;
  bool only_descending = false;
  bool sorted_at_first = false;
  bool is_copied = true;  ///< included in copied tables
};

inline constexpr ImGuiTableFlags kDrawerTable = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                                ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerV;

/// Returns the definition of a column of `table` ("statistics", "torch", …), empty when it has none.
std::string_view column_definition(std::string_view table, std::string_view title);

/// Declares the columns and draws the header row with tooltips. Call right after BeginTable. With
/// ImGuiTableFlags_Hideable the user can hide columns by a right click on the header, and
/// Settings::hidden_columns stores them as "table/title".
void table_headers(UiContext& ui, std::string_view table, std::span<const TableColumn> columns);
/// Returns the width below which text columns would become too narrow; hidden columns do not count. A narrower table
/// scrolls sideways at this width (ImGuiTableFlags_ScrollX), except for its first column.
float least_table_px(const UiContext& ui, std::string_view table, std::span<const TableColumn> columns);

/// Calls row(index) for the visible rows of a scrolled table of `count` rows of equal height, each with
/// an ImGui id of its own.
template <class Row>
void for_each_row_in_view(std::size_t count, Row&& row) {
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      row(static_cast<std::size_t>(i));
      ImGui::PopID();
    }
  }
}

/// Returns the column and order that the user clicked last. False when they did not change.
bool table_order_changed(int& column, bool& descending);

/// Draws a cell of a column of numbers. Its tooltip has the title, every digit of the value,
/// and the definition.
void explained_number(UiContext& ui, std::string_view table, const TableColumn& column, std::string_view value,
                      std::string_view exact, bool muted = false);

/// Whether the mouse has been still for a while. Requests a later frame when it has not.
bool mouse_rests(UiContext& ui);

/// A table for pasting elsewhere.
struct CopiedTable {
  std::vector<std::string> titles;
  std::vector<bool> is_number;  ///< by column: right-aligned in text
  std::vector<std::vector<std::string>> rows;

  /// Returns CSV (RFC 4180) with a header line.
  std::string csv() const;
  /// Returns aligned columns; line breaks in cells become blanks.
  std::string text() const;
};

/// Format of a copied table: text with numbers as shown, or CSV with exact numbers and times in ns.
enum class CopyFormat { kText, kCsv };

/// Returns an empty table with the titles of these columns, with units for CSV.
CopiedTable copied_columns(std::span<const TableColumn> columns, CopyFormat format);

/// Returns a table of a report.
CopiedTable copied_report_table(const ReportTable& table);

/// Draws a "Copy" button that opens a menu of formats. Returns the chosen format, once.
std::optional<CopyFormat> copy_button(const UiContext& ui, std::string_view what);

}  // namespace lacuna
