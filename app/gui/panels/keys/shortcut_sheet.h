#pragma once

#include "app/gui/core/shortcut.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Draws every key and mouse gesture, generated from the table of commands. UI thread.
void draw_shortcut_sheet(UiContext& ui);
/// Whether the open sheet scrolls by this key.
bool scrolls_sheet(const KeyPress& press);

}  // namespace lacuna
