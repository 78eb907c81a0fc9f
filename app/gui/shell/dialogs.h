#pragma once

#include "app/gui/application/app_state.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The error, selectable and copyable, until it is closed. UI thread.
void draw_error_dialog(UiContext& ui);
void draw_about(UiContext& ui);
/// Words and what they mean, with a box to look for one.
void draw_glossary(UiContext& ui);
/// What is loading, how far it is, and a button to stop it. `corner`: where its lower right one is while some of it is
/// shown already.
void draw_loading(UiContext& ui, App& app, ImVec2 centre, ImVec2 corner);
/// The window without a trace: what to do, and what was open lately.
void draw_start_page(UiContext& ui, App& app, ImVec2 centre);

}  // namespace lacuna
