#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Every key and mouse gesture, made from the table of commands. UI thread.
void draw_shortcut_sheet(UiContext& ui);

}  // namespace lacuna
