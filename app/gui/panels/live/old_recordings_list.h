#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// On the start page: recordings that a window which crashed left behind, to be opened or deleted. Nothing
/// without any. `width`: of the page. UI thread.
void draw_old_recordings(UiContext& ui, App& app, float width);

}  // namespace lacuna
