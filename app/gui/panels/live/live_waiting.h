#pragma once

#include <string>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "capture/session/live_source.h"

namespace lacuna {

/// A source of events that a recording looks for, and its state while nothing was recorded.
struct SoughtFor {
  std::string what;   ///< "NVTX ranges and marks"
  std::string found;  ///< "none: …"
  bool is_off = false;
};

/// Returns what a recording without events is looking for.
std::vector<SoughtFor> sought_for(const LivePlan& plan, const LiveSource::Status& status);
/// Returns what the user can do to get events: one sentence each.
std::vector<std::string> advice_for(const LivePlan& plan);

/// Draws the placeholder of the timeline while a recording has nothing to show: what is being looked for
/// and what can be done. Fills the remaining width of the current window, from its cursor. UI thread.
void draw_live_waiting(UiContext& ui);

}  // namespace lacuna
