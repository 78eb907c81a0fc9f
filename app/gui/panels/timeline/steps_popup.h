#pragma once

#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The choice of steps: a button in the corner of the timeline and its popup. A click selects one
/// step, Shift+click up to it; or numbers are typed ("12..15"). UI thread.
class StepsPopup {
 public:
  /// Draws the button at the cursor, and the popup while it is open. Nothing without steps.
  void draw(UiContext& ui);
  /// Width of the button; 0 without steps.
  float width(const UiContext& ui) const;

 private:
  void list(UiContext& ui);

  std::string typed_;
  bool is_wrong_ = false;  ///< what was typed names no step
};

}  // namespace lacuna
