#pragma once
// Common parts of the tables of names: the context menu of a row, and the note for an empty table.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "app/gui/models/statistics/statistics_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The context menu of the row just drawn.
struct RowMenu {
  std::string_view name;
  std::string_view category;              ///< empty: the table has none
  bool is_chosen = false;                 ///< the row's slices are highlighted
  std::function<std::string()> row_text;  ///< returns the row's cells, for the clipboard
};
/// The menu entries that the table itself has to carry out.
enum class RowChoice { kNone, kHighlight, kClear, kNext, kPrevious, kZoom };
/// Call right after the row's Selectable. Carries out copying and setting the table's `filter` by itself.
RowChoice row_menu(UiContext& ui, const RowMenu& menu, std::string& filter);
/// Carries out a click (`is_pressed`: the Selectable's result), a double click or a menu choice on a row
/// whose slices `highlight` highlights.
void act_on_row(UiContext& ui, bool is_pressed, RowChoice choice, bool is_chosen,
                const std::function<void()>& highlight);
/// Clears the selection unless it is a slice of the row, so that the details show the row.
void drop_other_selection(UiContext& ui, StringId name, CategoryId category);

inline constexpr ImGuiSelectableFlags kRowFlags =
    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;

/// Draws, in place of a table that is not there yet, that it is being computed, here or on another machine; or why the
/// other machine does not answer.
void awaited_table(const UiContext& ui);
/// Draws that `shown` rows are those of the longest self time, if another machine has left others out. `noun`: "name".
void rows_left_out(UiContext& ui, std::size_t shown, std::uint64_t left_out, std::string_view noun);

/// Draws, for a table without rows, why there are none and how to change that. `noun`: "name or category".
void no_rows(UiContext& ui, std::string& filter, StatisticsSide& side, std::string_view noun);

}  // namespace lacuna
