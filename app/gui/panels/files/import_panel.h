#pragma once

#include "app/gui/panels/ui_context.h"
#include "model/trace/import_finding.h"

namespace lacuna {

/// Draws the import report: one line per finding, most severe first. UI thread.
void draw_import_panel(UiContext& ui);

/// The highest severity in a report among findings with a count, and the number of lines.
struct ReportSummary {
  Severity worst = Severity::kInfo;
  std::uint64_t lost = 0;  ///< events or parts that are not shown
  std::uint64_t repaired = 0;
  std::size_t lines = 0;
};
ReportSummary summarize(const ImportReport& report);
Rgba severity_colour(const Theme& theme, Severity severity);

/// Draws a bar that says how much of the file is not shown, until it is dismissed. Returns its height.
float draw_warning_banner(UiContext& ui);

}  // namespace lacuna
