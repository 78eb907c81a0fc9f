#pragma once

#include "app/gui/core/shortcut.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Every key and mouse gesture, made from the table of commands. UI thread.
void draw_shortcut_sheet(UiContext& ui);
/// Whether the sheet, where it is open, takes the key to scroll by.
bool scrolls_sheet(const KeyPress& press);

}  // namespace lacuna
