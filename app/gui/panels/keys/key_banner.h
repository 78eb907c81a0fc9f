#pragma once

#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Draws a bar at the cursor with the errors of the settings file, until it is dismissed.
/// Returns its height, 0 without errors.
float draw_settings_banner(UiContext& ui);

/// Draws on the sheet of keys where to change keys, and which settings were rejected.
void key_settings_help(UiContext& ui);

/// Returns the keys that a newcomer needs, for the status line.
std::string key_hint(const Keymap& keymap);

}  // namespace lacuna
