#include "app/gui/panels/gaps/idle_popup.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "app/gui/application/idle_figures.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr const char* kIdlePopup = "idle_figures";
constexpr float kFigureLabelPx = 190;
constexpr float kFigurePx = 176;
enum IdleColumn { kIdleTitle, kIdlePage, kIdleReport, kIdleColumns };

struct IdleTable {
  UiContext& ui;
  std::array<bool, kIdleColumns> is_known;

  /// One cell for each figure, under a label.
  void row(std::string_view label, const std::array<std::string, kIdleColumns>& cells,
           const std::array<bool, kIdleColumns>& is_counted, bool is_sum = false) const {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    is_sum ? text(label) : muted_text(ui, label);
    for (std::size_t f = 0; f < kIdleColumns; ++f) {
      ImGui::TableNextColumn();
      if (!is_known[f]) {
        muted_text(ui, "\xE2\x80\x93");
      } else if (!is_counted[f]) {
        muted_text(ui, "not counted" + (cells[f].empty() ? std::string() : ": " + cells[f]));
      } else {
        if (is_sum) push_font(ui.fonts.strong, ui.fonts.strong_px);
        text(cells[f]);
        if (is_sum) ImGui::PopFont();
      }
    }
  }
};

std::string in_gaps(const GapSum& sum) {
  return fmt::format("{} in {}", format_duration(sum.time), counted(sum.gaps, "gap"));
}

std::string span_text(const UiContext& ui, TimeSpan span) {
  return fmt::format("{} to {}", time_text(ui, span.begin), time_text(ui, span.end));
}

void subject_choice(UiContext& ui, IdleSubject& subject) {
  const std::vector<IdleSubject> all = idle_subjects(ui.workspace());
  if (all.empty()) return;
  if (std::ranges::find(all, subject) == all.end()) {
    // A GPU with one stream stands for it.
    const IdleSubject gpu{subject.process, {}};
    subject = std::ranges::find(all, gpu) != all.end() ? gpu : all.front();
  }
  const std::string name = idle_subject_name(ui.workspace(), subject);
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  text("Idle time of");
  ImGui::PopFont();
  ImGui::SameLine(0, ui.px(8));
  if (all.size() == 1) return text(name);
  ImGui::SetNextItemWidth(ui.px(360));
  if (!ImGui::BeginCombo("##subject", name.c_str())) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(idle_subject_name(ui.workspace(), all[i]).c_str(), all[i] == subject)) subject = all[i];
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void idle_heads(UiContext& ui, const IdleSubject& subject) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TableNextColumn();
  if (link(ui, "Title of the track")) {
    if (subject.track.valid()) ui.workspace().show_track(subject.track);
    for (const TrackId id : ui.workspace().trace().process(subject.process).tracks)
      if (!subject.track.valid() && ui.workspace().trace().track(id).kind == TrackKind::kGpuStream) {
        ui.workspace().show_track(id);
        break;
      }
    ImGui::CloseCurrentPopup();
  }
  tooltip(column_definition("bars", "Track idle"));
  ImGui::TableNextColumn();
  if (link(ui, "Gaps page")) {
    ui.state.whole_gpu = !subject.track.valid();
    ui.state.gaps_view = subject.track.valid() ? GapsView::kList : GapsView::kCauses;
    ui.show_page(DrawerPage::kGaps);
    ImGui::CloseCurrentPopup();
  }
  note_place(ui, "idle_to_gaps");
  tooltip(column_definition("gaps", "Idle"));
  ImGui::TableNextColumn();
  if (link(ui, "Report")) {
    ui.show_page(DrawerPage::kReport);
    ImGui::CloseCurrentPopup();
  }
  note_place(ui, "idle_to_report");
  tooltip(column_definition("report", "GPU idle"));
}

/// The time of which the gaps page speaks.
std::string page_window(const Workspace& workspace) {
  if (workspace.area()) return "the selected range";
  return workspace.gap_filter().is_measured ? "the measured time" : "the whole trace";
}

/// The file of the report that speaks of this GPU; null while the report is not there.
const DescribedReport* report_of(const UiContext& ui, const ReportView& reports, const IdleSubject& subject) {
  if (reports.files() == nullptr || !subject.process.valid()) return nullptr;
  const SourceId source = ui.workspace().trace().process(subject.process).source;
  for (const DescribedReport& file : *reports.files())
    if (file.source == source) return &file;
  return nullptr;
}

void idle_contents(UiContext& ui, const ReportView& reports, IdleSubject& subject) {
  Workspace& workspace = ui.workspace();
  if (workspace.document()->is_thinned) {
    muted_text(ui,
               "Idle figures are compared once the whole trace is here: in its pictures\ngaps shorter than a pixel are "
               "missing.");
    return note_place(ui, "idle_waits");
  }
  subject_choice(ui, subject);
  if (busy_index_of(workspace, subject) == nullptr)
    return muted_text(
        ui, workspace.document()->streams.empty() ? "No GPU activity in this trace." : "computing\xE2\x80\xA6");
  const DescribedReport* report = report_of(ui, reports, subject);
  const IdleFigures figures =
      idle_figures(workspace, subject, report != nullptr ? std::optional(report->window) : std::nullopt);
  const IdleParts in_report = figures.report.value_or(IdleParts{});
  const Nanos in_title = saturating_add(figures.title.gaps(), figures.title.at_edges);
  ui.observed.idle_figures = {in_title, figures.page.counted.time,
                              figures.report ? saturating_add(in_report.gaps(), in_report.at_edges) : -1};
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("idle", 1 + kIdleColumns, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, ui.px(kFigureLabelPx));
  for (int f = 0; f < kIdleColumns; ++f)
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, ui.px(kFigurePx));
  idle_heads(ui, subject);
  const IdleTable table{ui, {true, true, figures.report.has_value()}};
  const std::string least = format_duration(workspace.min_gap());
  constexpr std::array<bool, kIdleColumns> kAll = {true, true, true};
  table.row("Window",
            {figures.title_is_measured ? "the measured time" : "what is in view", page_window(workspace),
             report != nullptr ? report->window_name : std::string()},
            kAll);
  table.row("",
            {span_text(ui, figures.title_is_measured ? measured_of(workspace, subject) : workspace.view().visible()),
             workspace.area() || workspace.gap_filter().is_measured ? span_text(ui, workspace.gap_filter().range)
                                                                    : std::string(),
             report != nullptr ? span_text(ui, report->window) : std::string()},
            kAll);
  const bool has_least = workspace.min_gap() > 0;
  table.row(has_least ? fmt::format("Gaps of {} or more", least) : std::string("Gaps of any length"),
            {in_gaps(figures.title.counted), in_gaps(figures.page.counted), in_gaps(in_report.counted)}, kAll);
  if (has_least)
    table.row("Gaps shorter than " + least,
              {in_gaps(figures.title.shorter), in_gaps(figures.page.shorter), in_gaps(in_report.shorter)},
              {true, false, true});
  table.row("Before the first and after\nthe last activity",
            {format_duration(figures.title.at_edges), figures.page_is_cut ? "among the gaps" : "",
             format_duration(in_report.at_edges)},
            {true, figures.page_is_cut, true});
  table.row("Idle",
            {format_duration(in_title), format_duration(figures.page.counted.time),
             format_duration(saturating_add(in_report.gaps(), in_report.at_edges))},
            kAll, true);
  ImGui::EndTable();
  muted_text(ui, !figures.page_is_cut && workspace.gap_filter().range != TimeSpan::everything()
                     ? "Gaps across the edges of view and measured window count as far as they lie "
                       "inside;\nthe gaps page counts those that touch the range whole."
                     : "Gaps across the edges of view and measured window count as far as they lie inside.");
  if (report == nullptr) muted_text(ui, "The report is being computed\xE2\x80\xA6");
  if (subject.track.valid()) muted_text(ui, "The report counts whole GPUs.");
}

}  // namespace

void draw_idle_popup(UiContext& ui, ReportView& reports) {
  UiState& state = ui.state;
  if (const auto wish = ui.requests.take<ask::ExplainIdle>(); wish && ui.workspace().has_trace()) {
    state.idle_subject = wish->subject;
    ImGui::OpenPopup(kIdlePopup);
  }
  state.idle_open = ImGui::IsPopupOpen(kIdlePopup);
  if (!state.idle_open) return;
  ImGui::SetNextWindowSizeConstraints({0, 0}, ImGui::GetIO().DisplaySize);
  if (!ImGui::BeginPopup(kIdlePopup)) return;
  if (ui.workspace().has_trace()) {
    reports.ask(ui.workspace().document());
    idle_contents(ui, reports, state.idle_subject);
  }
  ImGui::EndPopup();
}

}  // namespace lacuna
