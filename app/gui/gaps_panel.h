#pragma once

#include "app/gui/ui_context.h"

namespace lacuna {

/// The table of idle gaps; a click goes there. UI thread.
class GapsPanel {
 public:
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui);
  void table(UiContext& ui);
  void row(UiContext& ui, GapRef ref);

  GapRef last_selected_;  ///< to scroll to a selection made elsewhere
};

}  // namespace lacuna
