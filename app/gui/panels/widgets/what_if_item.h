#pragma once

#include <string_view>

#include "app/gui/panels/ui_context.h"
#include "model/causes/gap_cause.h"

namespace lacuna {

/// An entry of a right-click menu that opens the page "What if" with slices of `name` taking half their time, where a
/// slider changes that.
void what_if_faster_item(UiContext& ui, std::string_view name);
/// … without the gaps that an operator is to blame for.
void what_if_no_gaps_item(UiContext& ui, std::string_view name);
/// … without a cause of gaps.
void what_if_no_cause_item(UiContext& ui, GapCause cause);

}  // namespace lacuna
