#pragma once

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// A strip with the whole trace: how busy the GPUs are over time, and which part the timeline shows. A
/// click jumps there, the part and its edges can be dragged, the wheel zooms. Cost: O(pixels).
/// UI thread.
class Minimap {
 public:
  void draw(UiContext& ui, ImVec2 at, ImVec2 size);

 private:
  enum class Drag { kNone, kMove, kBegin, kEnd };

  void handle_mouse(UiContext& ui, ImVec2 at, ImVec2 size, float x0, float x1);
  void paint(UiContext& ui, ImVec2 at, ImVec2 size, float x0, float x1) const;

  Drag drag_ = Drag::kNone;
  float grab_px_ = 0;  ///< offset of the grab from the left edge of the part shown
};

}  // namespace lacuna
