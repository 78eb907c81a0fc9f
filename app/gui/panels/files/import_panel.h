#pragma once

#include "app/gui/panels/ui_context.h"
#include "model/trace/import_finding.h"

namespace lacuna {

/// What the import counted: one line per finding, the gravest first. UI thread.
void draw_import_panel(UiContext& ui);

/// The gravest severity of a report that has a count, and how many lines there are.
struct ReportSummary {
  Severity worst = Severity::kInfo;
  std::uint64_t lost = 0;  ///< events or parts that are not shown
  std::uint64_t repaired = 0;
  std::size_t lines = 0;
};
ReportSummary summarize(const ImportReport& report);
Rgba severity_colour(const Theme& theme, Severity severity);

/// A bar that says how much of the file is not shown, until it is dismissed. Returns its height.
float draw_warning_banner(UiContext& ui);

}  // namespace lacuna
