#pragma once

#include <string>

#include "app/gui/models/live/live_recording.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

// What is known of a slice that no document of the recording has yet: name, times and thread. UI thread.

/// "12.3 ms", or "1.2 s so far" while it runs.
std::string live_duration_text(const UiContext& ui, const LiveSlice& slice);
/// Draws the tooltip of a live slice while the mouse is over it.
void live_tooltip(UiContext& ui, const LiveSlice& slice);
/// Draws a live slice in the details panel, once it was clicked.
void draw_live_details(UiContext& ui, const LiveSlice& slice);

}  // namespace lacuna
