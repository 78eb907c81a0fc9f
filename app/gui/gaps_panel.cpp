#include "app/gui/gaps_panel.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "app/gui/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

struct Column {
  const char* title;
  GapColumn sort;
  bool is_number;
  const char* explanation;
};

constexpr std::array kColumns = {
    Column{"Duration", GapColumn::kDuration, true, "How long the stream was idle."},
    Column{"Start", GapColumn::kStart, true, "Time since the start of the trace."},
    Column{"Stream", GapColumn::kStream, false, "Device and stream."},
    Column{"Activity before", GapColumn::kBefore, false, "The activity whose end starts the gap."},
    Column{"Activity after", GapColumn::kAfter, false, "The activity whose start ends the gap."},
    Column{"Launched by", GapColumn::kLaunch, false,
           "The call that launched the activity that ends the gap."},
};

struct Choice {
  const char* label;
  Nanos least;
};
constexpr std::array kChoices = {Choice{"All", 0}, Choice{"1 \xC2\xB5s", 1'000},
                                 Choice{"10 \xC2\xB5s", 10'000}, Choice{"100 \xC2\xB5s", 100'000},
                                 Choice{"1 ms", 1'000'000}};

constexpr ImGuiTableFlags kTableFlags =
    ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
    ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerV;

}  // namespace

void GapsPanel::draw(UiContext& ui) {
  ui.workspace().update_gaps();
  toolbar(ui);
  if (ui.workspace().document()->streams.empty()) {
    ImGui::Spacing();
    muted_text(ui, "No GPU activity in this trace, so there are no gaps to show.");
    return;
  }
  table(ui);
}

void GapsPanel::toolbar(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  ImGui::AlignTextToFramePadding();
  muted_text(ui, "At least");
  ImGui::SameLine();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  for (std::size_t i = 0; i < kChoices.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    if (segment(ui, kChoices[i].label, workspace.min_gap() == kChoices[i].least)) {
      workspace.set_min_gap(kChoices[i].least);
    }
  }
  ImGui::PopStyleVar();
  ImGui::SameLine(0, ui.px(14));
  const GapList& gaps = workspace.gaps();
  muted_text(ui, fmt::format("{}, {} idle in total", counted(gaps.rows().size(), "gap"),
                             format_duration(gaps.total())));
  if (workspace.area()) {
    ImGui::SameLine(0, ui.px(14));
    coloured_text(ui.theme.accent,
                  fmt::format("in {} selected", format_duration(workspace.area()->duration())));
    ImGui::SameLine(0, ui.px(4));
    if (link(ui, "Whole trace")) workspace.set_area(std::nullopt);
  }
  ImGui::SameLine();
  const float width = 2 * ImGui::GetFrameHeight() + ui.px(4);
  const float room = ImGui::GetContentRegionAvail().x;
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  if (ImGui::ArrowButton("previous", ImGuiDir_Left)) workspace.step_gap(-1);
  tooltip("Previous gap in time (Shift+N)");
  ImGui::SameLine(0, ui.px(4));
  if (ImGui::ArrowButton("next", ImGuiDir_Right)) workspace.step_gap(1);
  tooltip("Next gap in time (N)");
}

void GapsPanel::table(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  if (!ImGui::BeginTable("gaps", static_cast<int>(kColumns.size()), kTableFlags,
                         ImGui::GetContentRegionAvail())) {
    return;
  }
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const Column& c = kColumns[i];
    ImGuiTableColumnFlags flags = c.is_number || c.sort == GapColumn::kStream
                                      ? ImGuiTableColumnFlags_WidthFixed
                                      : ImGuiTableColumnFlags_WidthStretch;
    flags |= c.sort == GapColumn::kDuration
                 ? ImGuiTableColumnFlags_PreferSortDescending | ImGuiTableColumnFlags_DefaultSort
                 : ImGuiTableColumnFlags_PreferSortAscending;
    const float width = c.is_number                      ? number_column_px(ui, c.title, "1,234.5 ms")
                        : c.sort == GapColumn::kStream ? ui.px(130)
                                                       : c.sort == GapColumn::kLaunch ? 0.6f : 1.0f;
    ImGui::TableSetupColumn(c.title, flags, width, static_cast<ImGuiID>(i));
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
      specs != nullptr && specs->SpecsDirty && specs->SpecsCount > 0) {
    workspace.gap_column = kColumns[static_cast<std::size_t>(specs->Specs[0].ColumnUserID)].sort;
    workspace.gaps_descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    specs->SpecsDirty = false;
    workspace.update_gaps();
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < static_cast<int>(kColumns.size()); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const Column& c = kColumns[static_cast<std::size_t>(i)];
    ImGui::PushID(i);
    if (c.is_number) {
      number_header(ui, c.title);
    } else {
      ImGui::TableHeader(c.title);
    }
    tooltip(c.explanation);
    ImGui::PopID();
  }

  const std::vector<GapRef>& rows = workspace.gaps().rows();
  const GapRef selected = workspace.selection().gap;
  if (selected != last_selected_) {
    last_selected_ = selected;
    const auto at = std::find(rows.begin(), rows.end(), selected);
    if (selected.valid() && at != rows.end()) {
      const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
      const float y = static_cast<float>(at - rows.begin()) * line;
      const float height = ImGui::GetWindowHeight();
      if (y < ImGui::GetScrollY() || y + 2 * line > ImGui::GetScrollY() + height) {
        ImGui::SetScrollY(std::max(0.0f, y - height / 2));
      }
    }
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      row(ui, rows[static_cast<std::size_t>(i)]);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

void GapsPanel::row(UiContext& ui, GapRef ref) {
  Workspace& workspace = ui.workspace();
  const Document& document = *workspace.document();
  const Trace& trace = document.trace;
  const Gap& gap = get(document, ref);
  const auto name_cell = [&](SliceId slice) {
    ImGui::TableNextColumn();
    if (slice.valid()) {
      fitted_name(ui, trace.name(slice));
    } else {
      muted_text(ui, "not in the trace");
    }
  };
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_selected = workspace.selection().gap == ref;
  if (ImGui::Selectable("##gap", is_selected, ImGuiSelectableFlags_SpanAllColumns)) {
    workspace.go_to(ref);
    last_selected_ = ref;
  }
  ImGui::SameLine(0, 0);
  number_cell(ui, format_duration(gap.duration()));
  ImGui::TableNextColumn();
  number_cell(ui, time_text(ui, gap.start), true);
  ImGui::TableNextColumn();
  fitted_text(ui, stream_text(trace, document.streams[ref.stream]), 0, true);
  name_cell(gap.before);
  name_cell(gap.after);
  name_cell(gap.launch);
}

}  // namespace lacuna
