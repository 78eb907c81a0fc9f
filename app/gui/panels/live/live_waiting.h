#pragma once

#include <string>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "capture/session/live_source.h"

namespace lacuna {

/// Something that a recording looks for, and what there is of it while nothing was recorded.
struct SoughtFor {
  std::string what;   ///< "NVTX ranges and marks"
  std::string found;  ///< "none: …"
  bool is_off = false;
};

/// What a recording without events looked for.
std::vector<SoughtFor> sought_for(const LivePlan& plan, const LiveSource::Status& status);
/// What its user can do to see something: one sentence each.
std::vector<std::string> advice_for(const LivePlan& plan);

/// Draws what stands in place of the timeline while a recording has nothing to show: what was looked for
/// and what can be done. In the room left of the current window's width, from its cursor. UI thread.
void draw_live_waiting(UiContext& ui);

}  // namespace lacuna
