#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Two parts side by side with a border between them that can be dragged. A plain value of one frame, in px.
struct Beside {
  ImVec2 at, size;        ///< of both parts and the border
  float left_px = 0;      ///< width of the left part
  float strip_px = 0;     ///< width of the border, a strip that no child window may cover
  float least_left = 0;   ///< that dragging leaves to the left part
  float least_right = 0;  ///< … and to the right one with the border

  ImVec2 left_size() const { return {left_px, size.y}; }
  ImVec2 right_at() const { return {at.x + left_px + strip_px, at.y}; }
  ImVec2 right_size() const { return {size.x - left_px - strip_px, size.y}; }
};

/// `part`: the right part's share of the width, with the border; the least widths are in design pixels. Where there is
/// no room for both, the right one keeps its own.
Beside lay_beside(const UiContext& ui, ImVec2 at, ImVec2 size, float part, float least_left, float least_right);

/// The border; after both parts, in the window that they are children of. Dragging changes `part`, a double click makes
/// it `usual`. `id`: see Splitter. UI thread.
void draw_beside(const UiContext& ui, const Beside& beside, const char* id, float& part, float usual);

}  // namespace lacuna
