#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Says in the current line how many slices the timeline leaves out; a click lists what they are and
/// brings them back.
void hidden_chip(UiContext& ui);

/// A submenu with the trace's categories: a click hides one, or brings it back.
void hide_menu(UiContext& ui);

}  // namespace lacuna
