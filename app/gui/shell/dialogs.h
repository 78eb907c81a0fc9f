#pragma once

#include "app/gui/application/app_state.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Draws the error, selectable and copyable, until it is closed. UI thread.
void draw_error_dialog(UiContext& ui);
void draw_about(UiContext& ui);
/// Draws the glossary with a search box.
void draw_glossary(UiContext& ui);
/// Draws the files being loaded, the progress, and a stop button. `corner`: its lower right corner while a preview is
/// already shown.
void draw_loading(UiContext& ui, App& app, ImVec2 centre, ImVec2 corner);
/// Draws the start page of a window without a trace: how to begin, and recent files.
void draw_start_page(UiContext& ui, App& app, ImVec2 centre);

}  // namespace lacuna
