#pragma once

#include <functional>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "capture/session/old_recordings.h"

namespace lacuna {

/// Lists on the start page the recordings left behind by a crashed window, to be opened by `open` or deleted; nothing
/// if there are none. `width`: of the page. UI thread.
void draw_old_recordings(UiContext& ui, std::vector<OldRecording>& found, float width,
                         const std::function<void(const OldRecording&)>& open);

}  // namespace lacuna
