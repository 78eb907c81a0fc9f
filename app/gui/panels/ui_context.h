#pragma once

#include "app/gui/application/app_state.h"
#include "render/paint/fonts.h"
#include "render/paint/imgui_compat.h"
#include "render/paint/theme.h"
#include "render/palette.h"

namespace lacuna {

/// What every panel gets for one frame.
struct UiContext {
  App& app;
  const Theme& theme;
  const Palette& palette;
  const Fonts& fonts;

  /// The trace that a panel is about; null: the open one, else the one it is compared with.
  Workspace* shown = nullptr;

  Workspace& workspace() const { return shown != nullptr ? *shown : app.workspace; }
  float px(float design_px) const { return fonts.px(design_px); }
};

}  // namespace lacuna
