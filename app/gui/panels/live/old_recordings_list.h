#pragma once

#include <functional>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "capture/session/old_recordings.h"

namespace lacuna {

/// Lists, on the start page, recordings that a crashed window left behind, to be opened by `open` or deleted; nothing
/// without any. `width`: of the page. UI thread.
void draw_old_recordings(UiContext& ui, std::vector<OldRecording>& found, float width,
                         const std::function<void(const OldRecording&)>& open);

}  // namespace lacuna
