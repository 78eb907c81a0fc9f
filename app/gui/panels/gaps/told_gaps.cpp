// The list of gaps of a trace that is seen from another machine: the longest ones, as that machine told of them.

#include <algorithm>
#include <compare>

#include <fmt/format.h>

#include "app/gui/panels/gaps/gaps_panel.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::weak_ordering compare_told(GapColumn column, const ToldGap& a, const ToldGap& b) {
  switch (column) {
    case GapColumn::kCause:
      if (a.cause != b.cause) return a.cause <=> b.cause;
      break;
    case GapColumn::kStream:
      return a.track <=> b.track;
    case GapColumn::kStart:
      return a.span.begin <=> b.span.begin;
    case GapColumn::kBefore:
      return a.before <=> b.before;
    case GapColumn::kAfter:
      return a.after <=> b.after;
    case GapColumn::kLaunch:
      return a.launch <=> b.launch;
    case GapColumn::kDuration:
      break;
  }
  return a.span.duration() <=> b.span.duration();
}

/// In the order of the table.
std::vector<const ToldGap*> sorted_told(const SightAnswers& told, GapColumn column, bool descending) {
  std::vector<const ToldGap*> rows;
  for (const ToldGap& gap : told.gaps) rows.push_back(&gap);
  std::ranges::stable_sort(rows, [&](const ToldGap* a, const ToldGap* b) {
    const auto order = compare_told(column, *a, *b);
    return descending ? order > 0 : order < 0;
  });
  return rows;
}

}  // namespace

GapSum told_gaps(const Document& document) {
  GapSum sum;
  const SightAnswers& told = *document.told;
  for (const ToldGap& gap : told.gaps) sum.add(gap.span.duration());
  return {saturating_add(sum.time, told.left_out_time), sum.gaps + told.gaps_left_out};
}

std::string told_stream_text(const Document& document, TrackId track) {
  for (const StreamActivity& stream : document.streams)
    if (stream.track == track) return stream_text(document.trace, stream);
  return track_text(document.trace, document.trace.track(track));
}

void GapsPanel::told(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const SightAnswers& told = *workspace.document()->told;
  if (ui.state.gaps_view != GapsView::kList) {
    ImGui::Spacing();
    return muted_text(
        ui, ui.state.not_told.empty()
                ? "This page is computed when the whole trace is here. The other machine sends the list meanwhile."
                : ui.state.not_told);
  }
  const SightQuestions asked = workspace.questions(true);
  const bool is_told = told.has_gaps && told.asked.range == asked.range && told.asked.min_gap == asked.min_gap &&
                       told.asked.streams == asked.streams;
  if (!is_told && !told.has_gaps)
    return asked_text(ui, "The other machine looks for gaps and their causes\xE2\x80\xA6");
  const ImVec2 room = ImGui::GetContentRegionAvail();
  told_table(ui, {room.x, std::max(ui.px(40), room.y - footer_px(ui))});
  if (!is_told) return asked_text(ui, "The other machine is asked again\xE2\x80\xA6");
  left_out(ui, told_gaps(*workspace.document()), {told.shorter_time, told.shorter_gaps});
  if (told.gaps_left_out == 0) return;
  ImGui::SameLine(0, ui.px(14));
  coloured_text(ui.theme.warning, fmt::format("The longest {} are listed", format_count(told.gaps.size())));
  tooltip(
      fmt::format("{} more ({} in all) are not listed. They appear when the whole trace is here, or where a range is "
                  "selected.",
                  counted(told.gaps_left_out, "gap"), format_duration(told.left_out_time)));
}

void GapsPanel::told_table(UiContext& ui, ImVec2 size) {
  Workspace& workspace = ui.workspace();
  const SightAnswers& told = *workspace.document()->told;
  if (told.gaps.empty()) return muted_text(ui, "No gaps of that length here.");
  if (!ImGui::BeginTable("gaps", static_cast<int>(gap_columns().size()), kDrawerTable | ImGuiTableFlags_Hideable,
                         size)) {
    return;
  }
  table_headers(ui, "gaps", gap_looks());
  int column = 0;
  if (table_order_changed(column, workspace.gaps_descending) && column >= 0)
    workspace.gap_column = gap_columns()[static_cast<std::size_t>(column)].sort;
  const std::vector<const ToldGap*> rows = sorted_told(told, workspace.gap_column, workspace.gaps_descending);
  for_each_row_in_view(rows.size(), [&](std::size_t i) {
    told_row(ui, *rows[i]);
    if (i == 0) note_place(ui, "first_told_gap");
  });
  ImGui::EndTable();
}

void GapsPanel::told_row(UiContext& ui, const ToldGap& gap) {
  Workspace& workspace = ui.workspace();
  const Document& document = *workspace.document();
  const auto name_cell = [&](const std::string& name) {
    if (!ImGui::TableNextColumn()) return;
    if (name.empty()) {
      muted_text(ui, "not in the trace");
    } else {
      fitted_name(ui, name);
    }
  };
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const Gap* selected = workspace.selected_gap();
  const bool is_selected = selected != nullptr && selected->start == gap.span.begin && selected->end == gap.span.end &&
                           document.streams[workspace.selection().gap.stream].track == gap.track;
  ImGui::PushID(&gap);
  const bool is_chosen = ImGui::Selectable("##gap", is_selected, ImGuiSelectableFlags_SpanAllColumns);
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  explained_number(ui, "gaps", gap_columns()[0].look, format_duration(gap.span.duration()),
                   format_duration_exact(gap.span.duration()));
  if (ImGui::TableNextColumn()) {
    cause_text(ui, gap.cause);
    tooltip(gap.why);
  }
  if (ImGui::TableNextColumn()) number_cell(ui, time_text(ui, gap.span.begin), true);
  if (ImGui::TableNextColumn()) fitted_text(ui, step_of(workspace, gap.span.begin), 0, true);
  if (ImGui::TableNextColumn()) fitted_text(ui, told_stream_text(document, gap.track), 0, true);
  name_cell(gap.before);
  name_cell(gap.after);
  name_cell(gap.launch);
  // Last: it changes what is selected.
  if (is_chosen) workspace.go_to_told(AskedGap{gap.track, gap.span});
}

void GapsPanel::copy_told(UiContext& ui, CopyFormat format) {
  const Workspace& workspace = ui.workspace();
  const Document& document = *workspace.document();
  if (ui.state.gaps_view != GapsView::kList) return;
  const bool is_csv = format == CopyFormat::kCsv;
  const auto time = [&](Nanos t) { return is_csv ? std::to_string(t) : format_duration(t); };
  CopiedTable copied = copied_columns(gap_looks(), format);
  for (const ToldGap* gap : sorted_told(*document.told, workspace.gap_column, workspace.gaps_descending))
    copied.rows.push_back({time(gap->span.duration()), std::string(cause_name(gap->cause)),
                           is_csv ? std::to_string(gap->span.begin) : time_text(ui, gap->span.begin),
                           step_of(workspace, gap->span.begin), told_stream_text(document, gap->track), gap->before,
                           gap->after, gap->launch});
  ui.requests.add(ask::Copy{is_csv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
