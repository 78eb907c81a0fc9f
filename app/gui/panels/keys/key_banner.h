#pragma once

#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// A band at the cursor that says what of the settings file makes no sense, until it is dismissed.
/// Returns its height, 0 without one.
float draw_settings_banner(UiContext& ui);

/// Tells, on the sheet of keys, where keys are changed and which settings did not work.
void key_settings_help(UiContext& ui);

/// The keys that a newcomer needs, for the status line.
std::string key_hint(const Keymap& keymap);

}  // namespace lacuna
