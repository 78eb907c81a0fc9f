#pragma once
// What the tables of the drawer share: columns that explain themselves, that the user can hide, and
// that can be copied.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// One column of a table in the window.
struct TableColumn {
  std::string title;
  std::string_view help = {};    ///< definition; empty: looked up in column_help()
  std::string_view sample = {};  ///< a column of numbers as wide as this; empty: text
  std::string_view unit = {};    ///< of a column of numbers in copied CSV, which has them whole: "ns"; empty: none
  float text_px = 0;             ///< width of a column of text at scale 1; 0: takes what is left
  float weight = 1;              ///< … in this proportion
  float bar_px = 0;              ///< a column of numbers has a bar of that width before them
  bool can_sort = true;
  bool only_descending = false;
  bool sorted_at_first = false;
  bool is_copied = true;  ///< copied tables have it
};

inline constexpr ImGuiTableFlags kDrawerTable = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                                ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerV;

/// The definition of a column of `table` ("statistics", "torch", …), empty when it has none.
std::string_view column_definition(std::string_view table, std::string_view title);

/// Declares the columns and draws the header row with tooltips. Call right after BeginTable. With
/// ImGuiTableFlags_Hideable the user hides columns by a right click on the header, and
/// Settings::hidden_columns remembers them as "table/title".
void table_headers(UiContext& ui, std::string_view table, std::span<const TableColumn> columns);
/// The width below which columns of text would be squeezed; hidden columns do not count. A table with less room scrolls
/// sideways at this width (ImGuiTableFlags_ScrollX), beside its first column.
float least_table_px(const UiContext& ui, std::string_view table, std::span<const TableColumn> columns);

/// Calls row(index) for the rows in view of a scrolled table of `count` rows of equal height, each with
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

/// What the user clicked last: index of the column, and the order. False when it did not change.
bool table_order_changed(int& column, bool& descending);

/// A cell of a column of numbers. When the mouse rests on it: the title, every digit of the value,
/// and the definition.
void explained_number(UiContext& ui, std::string_view table, const TableColumn& column, std::string_view value,
                      std::string_view exact, bool muted = false);

/// Tells whether the mouse has been still for a while. Asks for a later frame when it has not.
bool mouse_rests(UiContext& ui);

/// A table as somebody pastes it elsewhere.
struct CopiedTable {
  std::vector<std::string> titles;
  std::vector<bool> is_number;  ///< by column: right-aligned in text
  std::vector<std::vector<std::string>> rows;

  /// RFC 4180, with a header line.
  std::string csv() const;
  /// Aligned columns; line breaks in cells become blanks.
  std::string text() const;
};

/// How a table goes to the clipboard: as text, numbers as shown; as CSV, numbers whole and times in ns.
enum class CopyFormat { kText, kCsv };

/// What a table with these columns is copied to: their titles, with units in CSV, and no rows yet.
CopiedTable copied_columns(std::span<const TableColumn> columns, CopyFormat format);

/// A button "Copy" that opens a choice; nothing until something is chosen there.
std::optional<CopyFormat> copy_button(const UiContext& ui, std::string_view what);

}  // namespace lacuna
