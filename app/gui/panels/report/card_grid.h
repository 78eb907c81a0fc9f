#pragma once

#include <string_view>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "model/report/report_cards.h"

namespace lacuna {

/// Draws the cards of a report in as many columns as have room. A click on a card's title returns the key of the
/// section that says more, "Show" and the parts of the picture go to their places on the timeline; else empty.
/// UI thread.
std::string_view draw_card_grid(UiContext& ui, const std::vector<ReportCard>& cards);

}  // namespace lacuna
