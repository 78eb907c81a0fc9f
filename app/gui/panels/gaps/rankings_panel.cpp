// The part of the gaps page that ranks lost time by cause and by operator.

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/panels/gaps/gaps_panel.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/what_if_item.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kPlacesPart = 0.36f;

const TableColumn kLost{.title = "Lost", .sample = "1,234 ms", .unit = "ns", .can_sort = false};
const TableColumn kShare{.title = "Share", .sample = "100.0 %", .can_sort = false, .is_copied = false};
const TableColumn kPlaces{.title = "Places", .sample = "12,345", .can_sort = false};
const TableColumn kBefore{.title = "Before launch", .sample = "1,234 ms", .unit = "ns", .can_sort = false};
const TableColumn kQueue{.title = "In queue", .sample = "1,234 ms", .unit = "ns", .can_sort = false};
const TableColumn kSyncs{.title = "In syncs", .sample = "1,234 ms", .unit = "ns", .can_sort = false};

const std::vector<TableColumn>& cause_columns() {
  static const std::vector<TableColumn> all = {
      {.title = "Cause", .can_sort = false}, kLost, kShare, kPlaces, kBefore, kQueue};
  return all;
}

const std::vector<TableColumn>& operator_columns() {
  static const std::vector<TableColumn> all = {{.title = "Operator", .can_sort = false},
                                               kLost,
                                               kShare,
                                               kPlaces,
                                               kSyncs,
                                               {.title = "Mostly in", .weight = 0.7f, .can_sort = false}};
  return all;
}

std::string copied_time(Nanos t, CopyFormat format) {
  return format == CopyFormat::kCsv ? std::to_string(t) : format_duration(t);
}

constexpr ImGuiTableFlags kRankingFlags = kDrawerTable & ~ImGuiTableFlags_Sortable;

void lost_cells(UiContext& ui, Nanos lost, Nanos idle, std::size_t places) {
  if (ImGui::TableNextColumn())
    explained_number(ui, "ranking", kLost, format_duration(lost), format_duration_exact(lost));
  if (ImGui::TableNextColumn()) explained_number(ui, "ranking", kShare, share_text(lost, idle), share_text(lost, idle));
  if (ImGui::TableNextColumn()) explained_number(ui, "ranking", kPlaces, format_count(places), format_count(places));
}

/// Gaps of a recording that came last.
std::string not_yet_text(const GapRankings& rankings) {
  return fmt::format("{} in {}: not yet known", format_duration(rankings.not_yet.time),
                     counted(rankings.not_yet.gaps, "gap"));
}

}  // namespace

void GapsPanel::choose(UiContext& ui, const std::vector<BlamedPlace>& ranked) {
  // A ranking of a recording may be of an older document.
  const CauseAnalysis* analysis = ui.workspace().causes().analysis();
  const bool is_growing = analysis != nullptr && analysis->is_growing;
  const std::vector<BlamedPlace> places = is_growing ? still_there(*ui.workspace().document(), ranked) : ranked;
  ui.workspace().set_route(places);
  if (!places.empty()) ui.workspace().go_to(BlamedPlace(places.front()));
}

void GapsPanel::rankings(UiContext& ui) {
  const GapRankings* rankings = ui.workspace().causes().rankings();
  if (rankings == nullptr) {
    muted_text(ui, "Looking for causes\xE2\x80\xA6");
    return;
  }
  if (rankings->gaps == 0) {
    muted_text(ui, rankings->not_yet.gaps > 0 ? not_yet_text(*rankings) : "No gaps of that length here.");
    left_out(ui, {}, rankings->left_out);
    return;
  }
  const bool by_cause = ui.state.gaps_view == GapsView::kCauses;
  const std::vector<BlamedPlace>* chosen = nullptr;
  if (by_cause) {
    for (const CauseRow& row : rankings->causes)
      if (chosen_cause_ == row.cause) chosen = &row.places;
  } else {
    for (const OperatorRow& row : rankings->operators)
      if (chosen_operator_ == std::pair(row.level, row.name)) chosen = &row.places;
  }
  if (ui.workspace().route().empty()) chosen = nullptr;
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y = std::max(ui.px(40), room.y - footer_px(ui));
  const float places_px = chosen != nullptr ? std::floor(room.x * kPlacesPart) : 0;
  begin_child("ranking", {room.x - places_px - (chosen != nullptr ? ui.px(8) : 0), room.y});
  by_cause ? cause_rows(ui, *rankings) : operator_rows(ui, *rankings);
  ImGui::EndChild();
  if (chosen != nullptr) {
    ImGui::SameLine(0, ui.px(8));
    begin_child("places", {places_px, room.y});
    places(ui, *chosen);
    ImGui::EndChild();
  }
  left_out(ui, {rankings->idle, rankings->gaps}, rankings->left_out);
}

void GapsPanel::cause_rows(UiContext& ui, const GapRankings& rankings) {
  if (!ImGui::BeginTable("causes", static_cast<int>(cause_columns().size()), kRankingFlags,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  table_headers(ui, "ranking", cause_columns());
  for (const CauseRow& row : rankings.causes) {
    ImGui::PushID(static_cast<int>(row.cause));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool is_chosen = chosen_cause_ == row.cause && !ui.workspace().route().empty();
    if (ImGui::Selectable("##cause", is_chosen, ImGuiSelectableFlags_SpanAllColumns)) {
      chosen_cause_ = row.cause;
      is_chosen ? ui.workspace().clear_route() : choose(ui, row.places);
    }
    if (&row == &rankings.causes.front()) note_place(ui, "first_cause");
    cause_menu(ui, row);
    ImGui::SameLine(0, 0);
    cause_text(ui, row.cause);
    lost_cells(ui, row.lost, rankings.idle, row.places.size());
    if (ImGui::TableNextColumn())
      explained_number(ui, "ranking", kBefore, format_duration(row.before_issue),
                       format_duration_exact(row.before_issue));
    if (ImGui::TableNextColumn())
      explained_number(ui, "ranking", kQueue, format_duration(row.in_queue), format_duration_exact(row.in_queue));
    ImGui::PopID();
  }
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  muted_text(ui, rankings.whole_gpu ? "All, GPU idle" : "All, over the streams");
  lost_cells(ui, rankings.idle, rankings.idle, rankings.gaps);
  if (rankings.not_yet.gaps > 0) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    muted_text(ui, not_yet_text(rankings));
  }
  ImGui::EndTable();
}

void GapsPanel::operator_rows(UiContext& ui, const GapRankings& rankings) {
  const Trace& trace = ui.workspace().trace();
  if (!ImGui::BeginTable("operators", static_cast<int>(operator_columns().size()), kRankingFlags,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  table_headers(ui, "ranking", operator_columns());
  for_each_row_in_view(rankings.operators.size() + 1, [&](std::size_t i) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (i == rankings.operators.size()) {
      muted_text(ui, "Not the CPU's");
      tooltip(column_definition("ranking", "Not the CPU's"));
      if (ImGui::TableNextColumn()) number_cell(ui, format_duration(rankings.not_charged), true);
      if (ImGui::TableNextColumn()) number_cell(ui, share_text(rankings.not_charged, rankings.idle), true);
      return;
    }
    const OperatorRow& row = rankings.operators[i];
    const bool is_chosen = chosen_operator_ == std::pair(row.level, row.name) && !ui.workspace().route().empty();
    if (ImGui::Selectable("##operator", is_chosen, ImGuiSelectableFlags_SpanAllColumns)) {
      chosen_operator_ = std::pair(row.level, row.name);
      is_chosen ? ui.workspace().clear_route() : choose(ui, row.places);
      // Its slices, too: the details then say what they launched.
      is_chosen ? ui.workspace().clear_highlight() : ui.workspace().highlight(row);
    }
    if (i == 0) note_place(ui, "first_operator");
    if (ImGui::BeginPopupContextItem("operator_menu")) {
      what_if_no_gaps_item(ui, trace.text(row.name));
      ImGui::EndPopup();
    }
    const bool hovered = ImGui::IsItemHovered() && mouse_rests(ui);
    ImGui::SameLine(0, 0);
    fitted_name(ui, blamed_name(trace, row.level, row.name));
    lost_cells(ui, row.lost, rankings.idle, row.places.size());
    if (ImGui::TableNextColumn())
      explained_number(ui, "ranking", kSyncs,
                       row.in_synchronisation == 0 ? "" : format_duration(row.in_synchronisation),
                       format_duration_exact(row.in_synchronisation));
    if (ImGui::TableNextColumn()) {
      fitted_name(ui, trace.text(row.mostly_in));
      if (hovered && ImGui::GetMousePos().x < ImGui::GetItemRectMin().x - ui.px(330)) {
        begin_tooltip(ui, 440);
        text(fmt::format("{} cost {} of idle GPU in {}", blamed_name(trace, row.level, row.name).substr(0, 400),
                         format_duration(row.lost), counted(row.places.size(), "place")));
        end_tooltip();
      }
    }
  });
  ImGui::EndTable();
}

/// What a right click on a cause offers.
void GapsPanel::cause_menu(UiContext& ui, const CauseRow& row) {
  if (!ImGui::BeginPopupContextItem("cause_menu")) return;
  if (ImGui::MenuItem("Go to its longest place", nullptr, false, !row.places.empty())) {
    chosen_cause_ = row.cause;
    choose(ui, row.places);
    const auto longest = std::ranges::max_element(row.places, {}, &BlamedPlace::lost);
    ui.workspace().go_to(BlamedPlace(*longest));
  }
  note_place(ui, "cause longest");
  if (ImGui::MenuItem("Mark its gaps on the timeline", nullptr, false, !row.places.empty())) {
    chosen_cause_ = row.cause;
    choose(ui, row.places);
  }
  what_if_no_cause_item(ui, row.cause);
  ImGui::Separator();
  if (ImGui::MenuItem("Copy the row"))
    ui.requests.add(ask::Copy{fmt::format("{}\t{}\t{}", cause_name(row.cause), format_duration(row.lost),
                                          counted(row.places.size(), "place"))});
  note_place(ui, "cause copy");
  ImGui::EndPopup();
}

CopiedTable GapsPanel::copied_causes(const GapRankings& rankings, CopyFormat format) {
  CopiedTable copied = copied_columns(cause_columns(), format);
  for (const CauseRow& row : rankings.causes)
    copied.rows.push_back({std::string(cause_name(row.cause)), copied_time(row.lost, format),
                           std::to_string(row.places.size()), copied_time(row.before_issue, format),
                           copied_time(row.in_queue, format)});
  return copied;
}

CopiedTable GapsPanel::copied_operators(const Trace& trace, const GapRankings& rankings, CopyFormat format) {
  CopiedTable copied = copied_columns(operator_columns(), format);
  for (const OperatorRow& row : rankings.operators)
    copied.rows.push_back({blamed_name(trace, row.level, row.name), copied_time(row.lost, format),
                           std::to_string(row.places.size()), copied_time(row.in_synchronisation, format),
                           std::string(trace.text(row.mostly_in))});
  return copied;
}

void GapsPanel::places(UiContext& ui, const std::vector<BlamedPlace>& places) {
  Workspace& workspace = ui.workspace();
  // A cause is charged the whole gap.
  const bool has_parts = ui.state.gaps_view == GapsView::kOperators;
  static const std::vector<TableColumn> kParts = {{.title = "Lost", .sample = "1,234 ms", .can_sort = false},
                                                  {.title = "Gap", .sample = "1,234 ms", .can_sort = false},
                                                  {.title = "Start", .sample = "1,234.5 ms", .can_sort = false},
                                                  {.title = "Activity after", .can_sort = false}};
  static const std::vector<TableColumn> kWholes = {kParts[0], kParts[2], kParts[3]};
  const std::vector<TableColumn>& columns = has_parts ? kParts : kWholes;
  if (!ImGui::BeginTable(has_parts ? "parts" : "places", static_cast<int>(columns.size()), kRankingFlags,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  table_headers(ui, "places", columns);
  for_each_row_in_view(places.size(), [&](std::size_t i) {
    const BlamedPlace& place = places[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool is_selected =
        place.gap.valid() ? workspace.selection().gap == place.gap && workspace.selection().on_device == place.on_device
                          : workspace.selection().slice == place.after;
    if (ImGui::Selectable("##place", is_selected, ImGuiSelectableFlags_SpanAllColumns))
      workspace.go_to(BlamedPlace(place));
    if (i == 1) note_place(ui, "second_place");
    ImGui::SameLine(0, 0);
    explained_number(ui, "places", columns[0], format_duration(place.lost), format_duration_exact(place.lost));
    if (has_parts && ImGui::TableNextColumn())
      explained_number(ui, "places", columns[1], format_duration(place.span.duration()),
                       format_duration_exact(place.span.duration()), true);
    if (ImGui::TableNextColumn()) number_cell(ui, time_text(ui, place.span.begin), true);
    if (ImGui::TableNextColumn() && place.after.valid())
      fitted_kernel_name(ui, workspace.trace().name(place.after), workspace.trace().category_class(place.after));
  });
  ImGui::EndTable();
}

}  // namespace lacuna
