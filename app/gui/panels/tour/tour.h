#pragma once

#include <cstddef>
#include <string>

#include <imgui.h>

#include "app/gui/models/files/loader.h"
#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// Five hints over the example trace, one after the other: what a gap is, its cause, how to step to the
/// next, the operator to blame, the report. Each is drawn beside its subject. UI thread.
class Tour {
 public:
  explicit Tour(const Loader& loader) : loader_(loader) {}

  /// The screen areas that the hints point at.
  struct Places {
    ImVec4 timeline, pages, details;  ///< left, top, right, bottom; empty = not shown
    ImVec4 report;                    ///< beside the other pages; empty = it is one of the pages
    ImVec4 gap;                       ///< the selected gap
  };

  /// Call once a frame: begins when the trace is open, ends when it is closed.
  void draw(UiContext& ui, const Places& places);
  /// Handles Enter and Escape. Returns false for other keys.
  bool handle_key(UiContext& ui, int key);

 private:
  void begin(UiContext& ui);
  void go_to(UiContext& ui, std::size_t step);

  const Loader& loader_;
  GapRef gap_;  ///< selected when the step began: another one is the answer to "press N"
};

}  // namespace lacuna
