#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// A draggable border, drawn over a strip of the current window. Nothing else may cover the
/// strip: a child window there would take the mouse.
struct Splitter {
  const char* id;             ///< also its name in the tests' state dump
  bool is_vertical = false;   ///< separates left from right
  ImVec2 begin, end;          ///< corners of the strip
  float least = 0, most = 0;  ///< limits of the size
};

enum class SplitterMove {
  kNone,
  kDragged,  ///< the size follows the mouse
  kReset,    ///< double click: the caller restores its default
};

/// Draws the border, highlighted under the mouse. `size_px`: of the part before it (left or above), kept in
/// [least, most]. UI thread.
SplitterMove draw_splitter(const UiContext& ui, const Splitter& splitter, float& size_px);

}  // namespace lacuna
