#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// A border that can be dragged, drawn over a strip of the current window. Nothing else may lie on the
/// strip: a child window there would take the mouse.
struct Splitter {
  const char* id;             ///< also the place's name in the tests' state
  bool is_vertical = false;   ///< separates left from right
  ImVec2 begin, end;          ///< corners of the strip
  float least = 0, most = 0;  ///< of the size
};

enum class SplitterMove {
  kNone,
  kDragged,  ///< the size follows the mouse
  kReset,    ///< double click: the caller puts its default back
};

/// Draws it, highlighted under the mouse. `size_px`: of the part before it (left or above), kept in
/// [least, most]. UI thread.
SplitterMove draw_splitter(const UiContext& ui, const Splitter& splitter, float& size_px);

}  // namespace lacuna
