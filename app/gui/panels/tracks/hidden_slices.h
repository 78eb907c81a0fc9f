#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Draws in the current line how many slices are hidden; a click lists them and
/// offers to show them again.
void hidden_chip(UiContext& ui);

/// Draws a submenu with the trace's categories: a click hides one, or shows it again.
void hide_menu(UiContext& ui);

}  // namespace lacuna
