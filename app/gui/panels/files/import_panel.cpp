#include "app/gui/panels/files/import_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/widgets.h"
#include "model/formats/chrome/decimal.h"
#include "model/trace/import_finding.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr ImGuiTableFlags kTableFlags =
    ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "Note";
    case Severity::kRepaired:
      return "Repaired";
    case Severity::kDataLoss:
      return "Not shown";
  }
  return {};
}

}  // namespace

ReportSummary summarize(const ImportReport& report) {
  ReportSummary summary;
  const std::vector<ImportReport::Line> lines = report.lines();
  summary.lines = lines.size();
  summary.lost = report.total(Severity::kDataLoss);
  summary.repaired = report.total(Severity::kRepaired);
  if (!lines.empty()) summary.worst = info(lines.front().finding).severity;
  return summary;
}

Rgba severity_colour(const Theme& theme, Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return theme.accent;
    case Severity::kRepaired:
      return theme.warning;
    case Severity::kDataLoss:
      return theme.error;
  }
  return theme.text;
}

void draw_import_panel(UiContext& ui) {
  const std::vector<ImportReport::Line> lines = ui.workspace().trace().report().lines();
  if (lines.empty()) {
    ImGui::Spacing();
    coloured_text(ui.theme.good, "Everything in the file was understood.");
    return;
  }
  if (!ImGui::BeginTable("report", 4, kTableFlags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupColumn("Severity", ImGuiTableColumnFlags_WidthFixed, ui.px(90));
  ImGui::TableSetupColumn("Count", ImGuiTableColumnFlags_WidthFixed, number_column_px(ui, "Count", "1,234,567"));
  ImGui::TableSetupColumn("Finding", ImGuiTableColumnFlags_WidthStretch, 1.0f);
  ImGui::TableSetupColumn("First at", ImGuiTableColumnFlags_WidthStretch, 0.35f);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  for (const ImportReport::Line& line : lines) {
    const FindingInfo& finding = info(line.finding);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    coloured_text(severity_colour(ui.theme, finding.severity), severity_text(finding.severity));
    ImGui::TableNextColumn();
    number_cell(ui, finding.has_count() ? format_count(line.count) : std::string());
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    text(finding.words_after(line.count));
    ImGui::PopTextWrapPos();
    ImGui::TableNextColumn();
    std::string where;
    if (line.first_offset != ImportReport::kNoOffset) {
      where = fmt::format("byte {}", format_count(line.first_offset));
    }
    if (!line.example.empty()) where += (where.empty() ? "" : ": ") + line.example;
    fitted_text(ui, where, 0, true);
  }
  ImGui::EndTable();
}

namespace {

/// Whether a time that could not be read is a number that nanoseconds can mean. The report has the first one.
bool are_times_in_ns(const ImportReport& report) {
  return std::ranges::any_of(report.lines(), [](const ImportReport::Line& line) {
    return line.finding == Finding::kTimestampInvalid && parse_nanos(line.example).valid();
  });
}

}  // namespace

float draw_warning_banner(UiContext& ui) {
  if (!ui.workspace().has_trace() || ui.state.warning_dismissed) return 0;
  const ReportSummary summary = summarize(ui.workspace().trace().report());
  if (summary.lost == 0) return 0;
  const float height = std::round(ImGui::GetFrameHeight() + ui.px(8));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Rgba colour = severity_colour(ui.theme, Severity::kDataLoss);
  draw.AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(with_alpha(colour, 0.14f)));
  draw.AddRectFilled(at, {at.x + ui.px(3), at.y + height}, to_imgui(colour));
  ImGui::SetCursorScreenPos({at.x + ui.px(14), at.y + ui.px(4)});
  ImGui::AlignTextToFramePadding();
  text(fmt::format("{} of this file could not be shown.", counted(summary.lost, "part")));
  ImGui::SameLine(0, ui.px(10));
  if (link(ui, "Show the report")) ui.show_page(DrawerPage::kImport);
  if (are_times_in_ns(ui.workspace().trace().report())) {
    ImGui::SameLine(0, ui.px(4));
    if (link(ui, "Read its times as nanoseconds")) ui.requests.add(ask::ReadAsNs{});
    note_place(ui, "times_ns");
    tooltip("Times beyond 146 years in microseconds: where a program wrote nanoseconds, they are read by this.");
  }
  ImGui::SameLine(0, ui.px(4));
  if (link(ui, "Dismiss")) ui.state.warning_dismissed = true;
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  return height;
}

}  // namespace lacuna
