#pragma once

#include <string>

#include "app/gui/models/live/live_recording.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

// Details of a slice that is in no document of the recording yet: name, times and thread. UI thread.

/// Returns "12.3 ms", or "1.2 s so far" while it runs.
std::string live_duration_text(const UiContext& ui, const LiveSlice& slice);
/// Draws the tooltip of the live slice under the mouse.
void live_tooltip(UiContext& ui, const LiveSlice& slice);
/// Draws a clicked live slice in the details panel.
void draw_live_details(UiContext& ui, const LiveSlice& slice);

}  // namespace lacuna
