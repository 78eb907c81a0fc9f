#pragma once

#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The cell above the titles: filter, grouping, and hidden tracks with a way to show them. UI thread.
class TrackTools {
 public:
  /// Fills the rectangle.
  void draw(UiContext& ui, ImVec2 at, ImVec2 size);

 private:
  void filter(UiContext& ui, float width);
  void grouping(UiContext& ui);
  void hidden(UiContext& ui);

  std::string typed_;
  bool is_typing_ = false;
};

}  // namespace lacuna
