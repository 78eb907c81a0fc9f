// The gaps of a trace that is seen from another machine, as that machine told of them: the longest ones, and tables of
// idle time.

#include <algorithm>
#include <compare>

#include <fmt/format.h>

#include "app/gui/panels/gaps/gaps_panel.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

std::weak_ordering compare_remote(GapColumn column, const RemoteGap& a, const RemoteGap& b) {
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
std::vector<const RemoteGap*> sorted_remote(const RemoteAnswers& answers, GapColumn column, bool descending) {
  std::vector<const RemoteGap*> rows;
  for (const RemoteGap& gap : answers.gaps) rows.push_back(&gap);
  std::ranges::stable_sort(rows, [&](const RemoteGap* a, const RemoteGap* b) {
    const auto order = compare_remote(column, *a, *b);
    return descending ? order > 0 : order < 0;
  });
  return rows;
}

std::optional<GapCause> cause_named(std::string_view name) {
  for (std::size_t c = 0; c < kGapCauseCount; ++c)
    if (cause_name(static_cast<GapCause>(c)) == name) return static_cast<GapCause>(c);
  return std::nullopt;
}

}  // namespace

GapSum remote_gaps(const Document& document) {
  GapSum sum;
  const RemoteAnswers& answers = *document.answers;
  for (const RemoteGap& gap : answers.gaps) sum.add(gap.span.duration());
  return {saturating_add(sum.time, answers.left_out_time), sum.gaps + answers.gaps_left_out};
}

std::string remote_stream_text(const Document& document, TrackId track) {
  for (const StreamActivity& stream : document.streams)
    if (stream.track == track) return stream_text(document.trace, stream);
  return track_text(document.trace, document.trace.track(track));
}

void GapsPanel::draw_remote(UiContext& ui) {
  Workspace& workspace = ui.workspace();
  const RemoteAnswers& answers = *workspace.document()->answers;
  if (ui.state.gaps_view != GapsView::kList) return remote_ranking(ui);
  const RemoteQuestions asked = workspace.questions(true);
  const bool is_answered = answers.has_gaps && answers.asked.range == asked.range &&
                           answers.asked.min_gap == asked.min_gap && answers.asked.streams == asked.streams;
  if (!is_answered && !answers.has_gaps)
    return asked_text(ui, "The other machine looks for gaps and their causes\xE2\x80\xA6");
  const ImVec2 room = ImGui::GetContentRegionAvail();
  remote_table(ui, {room.x, std::max(ui.px(40), room.y - footer_px(ui))});
  if (!is_answered) return asked_text(ui, "Asking the other machine again\xE2\x80\xA6");
  left_out(ui, remote_gaps(*workspace.document()), {answers.shorter_time, answers.shorter_gaps});
  if (answers.gaps_left_out == 0) return;
  ImGui::SameLine(0, ui.px(14));
  coloured_text(ui.theme.warning, fmt::format("The longest {} are listed", format_count(answers.gaps.size())));
  tooltip(
      fmt::format("{} more ({} in all) are not listed. They appear when the whole trace is here, or where a range is "
                  "selected.",
                  counted(answers.gaps_left_out, "gap"), format_duration(answers.left_out_time)));
}

AskedPage GapsPanel::asked_ranking(const UiContext& ui) {
  const GapsView view = ui.state.gaps_view;
  if (view == GapsView::kDeadWindows) return {AskedGaps{GapTable::kDeadWindows}};
  const RemoteQuestions asked = ui.workspace().questions(true);
  const GapTable what = view == GapsView::kCauses ? GapTable::kCauses : GapTable::kOperators;
  return {AskedGaps{what, ui.state.whole_gpu, asked.min_gap}, asked.range, asked.streams};
}

/// Each picture brings the table anew; until then that of the last one stays.
void GapsPanel::remote_ranking(UiContext& ui) {
  const AskedPage asked = asked_ranking(ui);
  ui.state.asked_page = asked;
  if (auto page = ui.workspace().document()->answers->page(asked)) remote_ranking_ = std::move(page);
  if (remote_ranking_ == nullptr || remote_ranking_->asked != asked)
    return asked_text(ui, "The other machine computes this table\xE2\x80\xA6");
  if (!remote_ranking_->problem.empty()) return coloured_text(ui.theme.warning, remote_ranking_->problem);
  const bool has_gaps = ui.state.gaps_view != GapsView::kDeadWindows;
  const DescribedGaps& gaps = remote_ranking_->gaps;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (gaps.table.rows.empty()) {
    muted_text(ui, has_gaps ? "No gaps of that length here."
                            : "No annotations (record_function, ProfilerStep) in this trace.");
  } else {
    remote_ranking_table(ui, gaps.table, {room.x, std::max(ui.px(40), room.y - footer_px(ui))});
  }
  if (has_gaps) left_out(ui, gaps.counted, gaps.left_out);
  if (gaps.not_charged > 0) {
    ImGui::SameLine(0, ui.px(14));
    fitted_text(ui,
                fmt::format("Not the CPU's: {} ({})", format_duration(gaps.not_charged),
                            share_text(gaps.not_charged, gaps.counted.time)),
                ImGui::GetContentRegionAvail().x, true);
    tooltip(column_definition("ranking", "Not the CPU's"));
  }
  if (gaps.table.row_count == gaps.table.rows.size()) return;
  if (has_gaps) ImGui::SameLine(0, ui.px(14));
  coloured_text(ui.theme.warning, fmt::format("The first {} of {} are listed", format_count(gaps.table.rows.size()),
                                              counted(gaps.table.row_count, "row")));
}

void GapsPanel::remote_ranking_table(UiContext& ui, const ReportTable& table, ImVec2 size) {
  const bool is_dead = ui.state.gaps_view == GapsView::kDeadWindows;
  const std::string_view help = is_dead ? "dead" : "ranking";
  std::vector<TableColumn> columns;
  for (const ReportTable::Column& column : table.columns)
    columns.push_back({.title = column.title, .sample = column.is_number ? "1,234 ms" : "", .can_sort = false});
  // ImGui keeps widths by table: each view has one of its own.
  const std::string name = fmt::format("remote ranking {}", static_cast<int>(ui.state.gaps_view));
  if (!ImGui::BeginTable(name.c_str(), static_cast<int>(columns.size()), kDrawerTable & ~ImGuiTableFlags_Sortable,
                         size))
    return;
  table_headers(ui, help, columns);
  const ReportPlace* chosen = nullptr;
  for_each_row_in_view(table.rows.size(), [&](std::size_t r) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns)) chosen = &table.places[r];
    if (r == 0) note_place(ui, "first_remote_row");
    ImGui::SameLine(0, 0);
    if (const std::optional<GapCause> cause = cause_named(table.rows[r][0]); cause && help == "ranking") {
      cause_text(ui, *cause);
    } else {
      fitted_name(ui, table.rows[r][0]);
    }
    for (std::size_t c = 1; c < columns.size(); ++c) {
      if (!ImGui::TableNextColumn()) continue;
      const std::string& cell = table.rows[r][c];
      table.columns[c].is_number ? explained_number(ui, help, columns[c], cell, cell) : fitted_name(ui, cell);
    }
  });
  ImGui::EndTable();
  if (chosen != nullptr) ui.workspace().go_to(ReportPlace(*chosen));
}

void GapsPanel::remote_table(UiContext& ui, ImVec2 size) {
  Workspace& workspace = ui.workspace();
  const RemoteAnswers& answers = *workspace.document()->answers;
  if (answers.gaps.empty()) return muted_text(ui, "No gaps of that length here.");
  if (!begin_list(ui, size)) return;
  const std::vector<const RemoteGap*> rows = sorted_remote(answers, workspace.gap_column, workspace.gaps_descending);
  for_each_row_in_view(rows.size(), [&](std::size_t i) {
    remote_row(ui, *rows[i]);
    if (i == 0) note_place(ui, "first_remote_gap");
  });
  ImGui::EndTable();
}

void GapsPanel::remote_row(UiContext& ui, const RemoteGap& gap) {
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
  const bool is_chosen = ImGui::Selectable("##gap", is_selected, ImGuiSelectableFlags_SpanAllColumns);
  ImGui::SameLine(0, 0);
  explained_number(ui, "gaps", gap_columns()[0].look, format_duration(gap.span.duration()),
                   format_duration_exact(gap.span.duration()));
  if (ImGui::TableNextColumn()) {
    cause_text(ui, gap.cause);
    tooltip(gap.why);
  }
  if (ImGui::TableNextColumn()) number_cell(ui, time_text(ui, gap.span.begin), true);
  if (ImGui::TableNextColumn()) fitted_text(ui, step_of(workspace, gap.span.begin), 0, true);
  if (ImGui::TableNextColumn()) fitted_text(ui, remote_stream_text(document, gap.track), 0, true);
  name_cell(gap.before);
  name_cell(gap.after);
  name_cell(gap.launch);
  // Last: it changes what is selected.
  if (is_chosen) workspace.go_to_remote(AskedGap{gap.track, gap.span});
}

void GapsPanel::copy_remote(UiContext& ui, CopyFormat format) {
  const Workspace& workspace = ui.workspace();
  const Document& document = *workspace.document();
  if (ui.state.gaps_view != GapsView::kList) {
    if (remote_ranking_ == nullptr || remote_ranking_->asked != asked_ranking(ui)) return;
    const CopiedTable copied = copied_report_table(remote_ranking_->gaps.table);
    return ui.requests.add(ask::Copy{format == CopyFormat::kCsv ? copied.csv() : copied.text()});
  }
  const bool is_csv = format == CopyFormat::kCsv;
  const auto time = [&](Nanos t) { return is_csv ? std::to_string(t) : format_duration(t); };
  CopiedTable copied = copied_columns(gap_looks(), format);
  for (const RemoteGap* gap : sorted_remote(*document.answers, workspace.gap_column, workspace.gaps_descending))
    copied.rows.push_back({time(gap->span.duration()), std::string(cause_name(gap->cause)),
                           is_csv ? std::to_string(gap->span.begin) : time_text(ui, gap->span.begin),
                           step_of(workspace, gap->span.begin), remote_stream_text(document, gap->track), gap->before,
                           gap->after, gap->launch});
  ui.requests.add(ask::Copy{is_csv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
