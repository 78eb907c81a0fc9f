#pragma once

#include <string_view>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "model/report/report_cards.h"

namespace lacuna {

/// Draws the cards of a report in as many columns as fit. Returns the section key of a card whose title was
/// clicked, else an empty string. "Show" and the parts of the picture go to their places on the timeline.
/// UI thread.
std::string_view draw_card_grid(UiContext& ui, const std::vector<ReportCard>& cards);

}  // namespace lacuna
