#include "app/gui/panels/statistics/table_rows.h"

#include <cstddef>

#include <fmt/format.h>

#include "app/gui/core/document.h"
#include "app/gui/panels/widgets/what_if_item.h"
#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostFilterShown = 60;

bool row_item(const UiContext& ui, const char* name, const char* place, const std::string& key = {},
              bool enabled = true) {
  const bool chosen = ImGui::MenuItem(name, key.c_str(), false, enabled);
  note_place(ui, place);
  return chosen;
}

}  // namespace

RowChoice row_menu(UiContext& ui, const RowMenu& menu, std::string& filter) {
  if (!ImGui::BeginPopupContextItem("row_menu")) return RowChoice::kNone;
  RowChoice choice = RowChoice::kNone;
  const auto key = [&](std::string_view command) { return std::string(ui.keymap.key_of(command)); };
  if (row_item(ui, "Copy name", "row_copy_name")) ui.requests.add(ask::Copy{std::string(menu.name)});
  if (row_item(ui, "Copy row", "row_copy")) ui.requests.add(ask::Copy{menu.row_text()});
  ImGui::Separator();
  if (menu.is_chosen) {
    if (row_item(ui, "End the highlighting", "row_clear")) choice = RowChoice::kClear;
  } else if (row_item(ui, "Highlight its places", "row_highlight")) {
    choice = RowChoice::kHighlight;
  }
  if (row_item(ui, "Next place", "row_next", key("next_occurrence"))) choice = RowChoice::kNext;
  if (row_item(ui, "Previous place", "row_previous", key("previous_occurrence"))) choice = RowChoice::kPrevious;
  if (row_item(ui, "Zoom to the next place", "row_zoom", "Double-click")) choice = RowChoice::kZoom;
  ImGui::Separator();
  // Rows of groups may be called otherwise than slices are.
  if (const Trace& trace = ui.workspace().trace(); trace.strings().find(menu.name).valid())
    what_if_faster_item(ui, menu.name);
  ImGui::Separator();
  if (row_item(ui, "Filter by this name", "row_filter")) filter = menu.name;
  if (!menu.category.empty() && row_item(ui, "Filter by this category", "row_filter_category")) filter = menu.category;
  if (row_item(ui, "Clear the filter", "row_clear_filter", {}, !filter.empty())) filter.clear();
  ImGui::EndPopup();
  return choice;
}

void act_on_row(UiContext& ui, bool is_pressed, RowChoice choice, bool is_chosen,
                const std::function<void()>& highlight) {
  Workspace& workspace = ui.workspace();
  if (is_pressed) {
    const bool is_double = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    choice = is_double ? RowChoice::kZoom : is_chosen ? RowChoice::kClear : RowChoice::kHighlight;
  }
  if (choice == RowChoice::kNone) return;
  if (choice == RowChoice::kClear) return workspace.clear_highlight();
  if (!is_chosen) highlight();
  if (choice == RowChoice::kHighlight) return;
  // Places are found in the background: the step is taken when they are there.
  workspace.step_occurrence(choice == RowChoice::kPrevious ? -1 : 1, choice == RowChoice::kZoom);
}

void drop_other_selection(UiContext& ui, StringId name, CategoryId category) {
  Workspace& workspace = ui.workspace();
  const SliceId slice = workspace.selection().slice;
  if (slice.valid()) {
    const Lane& lane = workspace.trace().lane(slice);
    if (lane.name(slice.index) == name && lane.category(slice.index) == category) return;
  }
  workspace.select(SliceId{});
  if (ui.shown == nullptr) ui.live.choose({});
}

void awaited_table(const UiContext& ui) {
  if (!ui.workspace().document()->is_thinned) return muted_text(ui, "computing\xE2\x80\xA6");
  asked_text(ui, "The other machine computes this table\xE2\x80\xA6");
}

void rows_left_out(UiContext& ui, std::size_t shown, std::uint64_t left_out, std::string_view noun) {
  if (left_out == 0) return;
  ImGui::PushTextWrapPos(0);
  muted_text(ui,
             fmt::format("These are the {} with the longest self time. {} more are not listed: they appear when the "
                         "whole trace is here, or where a range is chosen.",
                         counted(shown, noun), counted(left_out, noun)));
  ImGui::PopTextWrapPos();
  note_place(ui, "rows_left_out");
}

void no_rows(UiContext& ui, std::string& filter, StatisticsSide& side, std::string_view noun) {
  ImGui::Spacing();
  if (ui.workspace().has_trace() && !ui.workspace().is_answered())
    return asked_text(ui, "The other machine counts\xE2\x80\xA6");
  const char* where = side == StatisticsSide::kCpu   ? " on the CPU side"
                      : side == StatisticsSide::kGpu ? " on the GPU side"
                                                     : "";
  if (!filter.empty()) {
    std::string shown = filter.substr(0, kMostFilterShown);
    if (shown.size() < filter.size()) shown += "\xE2\x80\xA6";
    muted_text(ui, fmt::format("No {} contains \"{}\"{}.", noun, shown, where));
    ImGui::SameLine(0, ui.px(6));
    if (link(ui, "Clear the filter")) filter.clear();
    note_place(ui, "clear_filter");
  } else {
    muted_text(ui,
               fmt::format("Nothing{}{}.", where, ui.workspace().area() ? " in the selected range" : " in this trace"));
  }
  if (side == StatisticsSide::kAll) return;
  ImGui::SameLine(0, ui.px(6));
  if (link(ui, "Both sides")) side = StatisticsSide::kAll;
  note_place(ui, "both_sides");
}

}  // namespace lacuna
