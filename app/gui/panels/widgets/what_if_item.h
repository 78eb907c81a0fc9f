#pragma once

#include <string_view>

#include "app/gui/panels/ui_context.h"
#include "model/causes/gap_cause.h"

namespace lacuna {

/// Draws a context menu entry that opens the "What if" page with slices of `name` taking half their time; a
/// slider there changes the factor.
void what_if_faster_item(UiContext& ui, std::string_view name);
/// Draws an entry for the "What if" page without the gaps charged to an operator.
void what_if_no_gaps_item(UiContext& ui, std::string_view name);
/// Draws an entry for the "What if" page without the gaps of one cause.
void what_if_no_cause_item(UiContext& ui, GapCause cause);

}  // namespace lacuna
