#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Draws the bar above the timeline while a recording is open: its state, its losses, and the buttons.
/// Draws at the cursor; returns its height, 0 without a recording. UI thread.
float draw_live_bar(UiContext& ui);

/// Returns the recording's state as text: "Recording for 3.2 s", "Ended: exited with code 0".
std::string live_state(const LiveView& live);

}  // namespace lacuna
