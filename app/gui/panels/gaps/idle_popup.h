#pragma once

#include "app/gui/models/report/report_view.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Idle time of one GPU as the title of its track, the gaps page and the report give it, side by side:
/// which window each takes, which gaps it counts, and the way there. Opens for ask::ExplainIdle.
/// UI thread.
void draw_idle_popup(UiContext& ui, ReportView& reports);

}  // namespace lacuna
