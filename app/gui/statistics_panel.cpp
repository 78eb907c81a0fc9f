#include "app/gui/statistics_panel.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "app/gui/widgets.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

struct Column {
  const char* title;
  StatisticsColumn sort;
  const char* sample;  ///< as wide as the contents get; null = a column of text
  const char* explanation;
};

constexpr std::array kColumns = {
    Column{"Name", StatisticsColumn::kName, nullptr, "Slices of one name and category make a row."},
    Column{"Category", StatisticsColumn::kCategory, nullptr, "As in the file."},
    Column{"Count", StatisticsColumn::kCount, "1,234,567", "Slices that overlap the range."},
    Column{"Total", StatisticsColumn::kTotal, "123.4 ms",
           "Sum of the durations inside the range. Slices nested in slices of the same name count "
           "each."},
    Column{"Self", StatisticsColumn::kSelf, "123.4 ms",
           "Total less the time of the slices directly inside."},
    Column{"Avg", StatisticsColumn::kAverage, "123.4 ms", "Total divided by count."},
    Column{"Min", StatisticsColumn::kMin, "123.4 ms", "Shortest whole duration."},
    Column{"Max", StatisticsColumn::kMax, "123.4 ms", "Longest whole duration."},
    Column{"Share", StatisticsColumn::kShare, "100.0 %",
           "Part of its side: of all self time for CPU rows, of all activity for GPU rows. "
           "Annotations on the GPU have none: the kernels under them are counted already."},
};

constexpr ImGuiTableFlags kTableFlags =
    ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
    ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings |
    ImGuiTableFlags_BordersInnerV;

void set_up_columns(const UiContext& ui) {
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const Column& c = kColumns[i];
    ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_PreferSortDescending;
    float width = 0;
    if (i == 0) {
      flags = ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_PreferSortAscending;
    } else {
      flags |= ImGuiTableColumnFlags_WidthFixed;
      width = c.sample == nullptr ? ui.px(108) : number_column_px(ui, c.title, c.sample);
    }
    if (c.sort == StatisticsColumn::kTotal) flags |= ImGuiTableColumnFlags_DefaultSort;
    ImGui::TableSetupColumn(c.title, flags, width, static_cast<ImGuiID>(i));
  }
  ImGui::TableSetupScrollFreeze(0, 1);
}

void header_row(const UiContext& ui) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < static_cast<int>(kColumns.size()); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const Column& c = kColumns[static_cast<std::size_t>(i)];
    ImGui::PushID(i);
    if (c.sample == nullptr) {
      ImGui::TableHeader(c.title);
    } else {
      number_header(ui, c.title);
    }
    if (i == 0) note_place(ui, "name_header");
    tooltip(c.explanation);
    ImGui::PopID();
  }
}

/// A bar behind the number of the last column.
void share_cell(const UiContext& ui, double share, Rgba colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetTextLineHeight();
  if (share * width >= 2) {
    const auto part = static_cast<float>(std::clamp(share, 0.0, 1.0));
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x, at.y + 1}, {at.x + width * part, at.y + height - 1},
        to_imgui(with_alpha(colour, 0.35f)), ui.px(2));
  }
  number_cell(ui, share > 0 ? format_percent(share) : std::string("\xE2\x80\x93"), share <= 0);
}

}  // namespace

void StatisticsPanel::draw(UiContext& ui) {
  ui.workspace().update_table();
  toolbar(ui);
  table(ui);
}

void StatisticsPanel::toolbar(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  StatisticsView& view = workspace.table();
  if (ui.app.ui.filter_request) {
    ImGui::SetKeyboardFocusHere();
    ui.app.ui.filter_request = false;
  }
  ImGui::SetNextItemWidth(ui.px(230));
  if (ImGui::InputTextWithHint("##filter", "Filter by name or category", filter_.data(),
                               filter_.size())) {
    view.filter = filter_.data();
  }
  ui.app.ui.filter_focused = ImGui::IsItemActive();
  ImGui::SameLine();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  if (segment(ui, "All", view.side == StatisticsSide::kAll)) view.side = StatisticsSide::kAll;
  ImGui::SameLine();
  if (segment(ui, "CPU", view.side == StatisticsSide::kCpu)) view.side = StatisticsSide::kCpu;
  ImGui::SameLine();
  if (segment(ui, "GPU", view.side == StatisticsSide::kGpu)) view.side = StatisticsSide::kGpu;
  ImGui::PopStyleVar();

  ImGui::SameLine(0, ui.px(14));
  ImGui::AlignTextToFramePadding();
  muted_text(ui, counted(view.rows().size(), "row") + ", " + counted(view.events(), "slice"));
  ImGui::SameLine(0, ui.px(14));
  if (workspace.area()) {
    coloured_text(ui.theme.accent,
                  fmt::format("in {} selected", format_duration(workspace.area()->duration())));
    ImGui::SameLine(0, ui.px(4));
    if (link(ui, "Whole trace")) workspace.set_area(std::nullopt);
    if (workspace.is_computing()) {
      ImGui::SameLine();
      muted_text(ui, "computing\xE2\x80\xA6");
    }
  } else {
    muted_text(ui, ui.workspace().document()->is_partial ? "in the part read so far" : "in the whole trace");
  }
  stepper(ui);
}

void StatisticsPanel::stepper(UiContext& ui) {
  const Occurrences& found = ui.workspace().occurrences();
  if (found.empty()) return;
  const std::string count =
      found.current() ? fmt::format("{} / {}", format_count(*found.current() + 1),
                                    format_count(found.size()))
                      : counted(found.size(), "slice");
  const float arrows = 2 * ImGui::GetFrameHeight() + 2 * ui.px(4);
  const float width = arrows + ImGui::CalcTextSize(count.c_str()).x + ui.px(70);
  ImGui::SameLine();
  const float room = ImGui::GetContentRegionAvail().x;
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  if (ImGui::ArrowButton("previous", ImGuiDir_Left)) ui.workspace().step_occurrence(-1);
  tooltip("Previous slice of this name (Shift+Enter)");
  ImGui::SameLine(0, ui.px(4));
  text(count);
  ImGui::SameLine(0, ui.px(4));
  if (ImGui::ArrowButton("next", ImGuiDir_Right)) ui.workspace().step_occurrence(1);
  tooltip("Next slice of this name (Enter)");
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Clear")) ui.workspace().clear_highlight();
}

void StatisticsPanel::table(UiContext& ui) {
  StatisticsView& view = ui.workspace().table();
  if (!ImGui::BeginTable("statistics", static_cast<int>(kColumns.size()), kTableFlags,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  set_up_columns(ui);
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
      specs != nullptr && specs->SpecsDirty && specs->SpecsCount > 0) {
    const ImGuiTableColumnSortSpecs& spec = specs->Specs[0];
    view.column = kColumns[static_cast<std::size_t>(spec.ColumnUserID)].sort;
    view.descending = spec.SortDirection == ImGuiSortDirection_Descending;
    specs->SpecsDirty = false;
    ui.workspace().update_table();
  }
  header_row(ui);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.rows().size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      row(ui, view.rows()[static_cast<std::size_t>(i)]);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

void StatisticsPanel::row(UiContext& ui, std::uint32_t index) {
  Workspace& workspace = ui.workspace();
  const Trace& trace = workspace.trace();
  const Statistics& statistics = workspace.table().sorted();
  const StatisticsRow& row = statistics.rows[index];
  const CategoryClass meaning = trace.category_class(row.category);
  const Rgba colour = ui.palette.slice(trace.text(row.name), meaning);
  const Occurrences& found = workspace.occurrences();
  const bool is_chosen =
      !found.empty() && found.name() == row.name && found.category() == row.category;

  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##row", is_chosen, ImGuiSelectableFlags_SpanAllColumns)) {
    if (is_chosen) {
      workspace.clear_highlight();
    } else {
      workspace.highlight(row.name, row.category);
    }
  }
  if (index == workspace.table().rows().front()) note_place(ui, "first_row");
  ImGui::SameLine(0, 0);
  colour_swatch(ui, colour);
  ImGui::SameLine(0, ui.px(6));
  fitted_name(ui, trace.text(row.name));
  ImGui::TableNextColumn();
  fitted_text(ui, trace.category_name(row.category), 0, true);
  ImGui::TableNextColumn();
  number_cell(ui, format_count(row.count));
  for (const Nanos value : {row.total, row.self, row.average(), row.min, row.max}) {
    ImGui::TableNextColumn();
    number_cell(ui, format_duration(value));
  }
  ImGui::TableNextColumn();
  share_cell(ui, statistics.share(trace, row), colour);
}

}  // namespace lacuna
