#pragma once

#include <string>
#include <utility>

#include "app/gui/application/commands.h"
#include "app/gui/application/keymap.h"
#include "app/gui/application/live_view.h"
#include "app/gui/application/observed.h"
#include "app/gui/application/requests.h"
#include "app/gui/application/settings.h"
#include "app/gui/application/ui_state.h"
#include "app/gui/workspace/workspace.h"
#include "render/paint/fonts.h"
#include "render/paint/imgui_compat.h"
#include "render/paint/theme.h"
#include "render/palette.h"

namespace lacuna {

/// The data that every panel gets for one frame. Panels get anything else through their constructors.
struct UiContext {
  Workspace& open;  ///< the open trace
  UiState& state;
  Settings& settings;
  const Keymap& keymap;
  Requests& requests;
  Observed& observed;
  LiveView& live;
  CommandRunner commands;
  const Theme& theme;
  const Palette& palette;
  const Fonts& fonts;

  /// The trace that a panel shows; null: the open one, or else the one it is compared with.
  Workspace* shown = nullptr;

  Workspace& workspace() const { return shown != nullptr ? *shown : open; }
  float px(float design_px) const { return fonts.px(design_px); }
  void show_page(DrawerPage page) const { lacuna::show_page(state, settings, requests, page); }
  void show_error(std::string text) const { state.error = std::move(text); }
};

}  // namespace lacuna
