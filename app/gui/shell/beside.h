#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Two parts side by side with a draggable border between them. A plain value for one frame, in px.
struct Beside {
  ImVec2 at, size;        ///< of both parts and the border
  float left_px = 0;      ///< width of the left part
  float strip_px = 0;     ///< width of the border; no child window may cover it
  float least_left = 0;   ///< minimum width of the left part
  float least_right = 0;  ///< minimum width of the right part with the border

  ImVec2 left_size() const { return {left_px, size.y}; }
  ImVec2 right_at() const { return {at.x + left_px + strip_px, at.y}; }
  ImVec2 right_size() const { return {size.x - left_px - strip_px, size.y}; }
};

/// `part`: the right part's share of the width, with the border; minimum widths are in design pixels. If both do not
/// fit, the right part keeps its minimum.
Beside lay_beside(const UiContext& ui, ImVec2 at, ImVec2 size, float part, float least_left, float least_right);

/// Draws the border; call it after both parts, in their parent window. Dragging changes `part`, a double click resets
/// it to `usual`. `id`: see Splitter. UI thread.
void draw_beside(const UiContext& ui, const Beside& beside, const char* id, float& part, float usual);

}  // namespace lacuna
