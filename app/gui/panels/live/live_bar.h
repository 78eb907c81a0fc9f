#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The strip above the timeline while a recording is open: how it goes, what was lost, and the buttons.
/// Draws at the cursor; returns its height, 0 without a recording. UI thread.
float draw_live_bar(UiContext& ui);

/// How the recording goes, in words: "Recording for 3.2 s", "Ended: exited with code 0".
std::string live_state(const LiveView& live);

}  // namespace lacuna
