#pragma once

#include "app/gui/models/report/report_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Compares the idle time of one GPU as its track title, the gaps page and the report give it: the window of
/// each, the gaps that each counts, and a link to each. Opens for ask::ExplainIdle.
/// UI thread.
void draw_idle_popup(UiContext& ui, ReportView& reports);

}  // namespace lacuna
