#pragma once
// What the tables of names share: the menu of a row, and what is said when no row is left.

#include <functional>
#include <string>
#include <string_view>

#include "app/gui/models/statistics/statistics_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// What a right click on the row just drawn offers.
struct RowMenu {
  std::string_view name;
  std::string_view category;              ///< empty: the table has none
  bool is_chosen = false;                 ///< its places are highlighted
  std::function<std::string()> row_text;  ///< the cells, for the clipboard
};
/// What the table itself has to do about a row's menu.
enum class RowChoice { kNone, kHighlight, kClear, kNext, kPrevious, kZoom };
/// Right after the row's Selectable. Copies and sets the table's `filter` by itself.
RowChoice row_menu(UiContext& ui, const RowMenu& menu, std::string& filter);
/// What a click (`is_pressed`: what the Selectable returned), a double click and the menu do with a row
/// whose places `highlight` highlights.
void act_on_row(UiContext& ui, bool is_pressed, RowChoice choice, bool is_chosen,
                const std::function<void()>& highlight);
/// Lets go of a selection that is no place of the row, so that the details show the row.
void drop_other_selection(UiContext& ui, StringId name, CategoryId category);

inline constexpr ImGuiSelectableFlags kRowFlags =
    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;

/// Instead of a table of a trace that is seen from another machine.
inline constexpr const char* kNeedsAllOfIt =
    "This table needs all of the trace here; that by slices comes from the other machine.";

/// Instead of a table without rows: says why there are none, and how that ends. `noun`: "name or category".
void no_rows(UiContext& ui, std::string& filter, StatisticsSide& side, std::string_view noun);

}  // namespace lacuna
