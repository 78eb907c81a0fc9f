#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Lists, on the start page, recordings that a crashed window left behind, to be opened or deleted; nothing
/// without any. `width`: of the page. UI thread.
void draw_old_recordings(UiContext& ui, App& app, float width);

}  // namespace lacuna
