#pragma once

#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The selection of steps: a button in the corner of the timeline and its popup. A click selects one
/// step, Shift+click extends the range to it; or numbers are typed ("12..15"). Below is the annotation that defines
/// the steps, and the alternatives. UI thread.
class StepsPopup {
 public:
  /// Draws the button at the cursor, and the popup while it is open.
  void draw(UiContext& ui);
  /// Returns the width of the button; 0 if there are no steps and no candidates for them.
  float width(const UiContext& ui) const;

 private:
  void button(UiContext& ui);
  void list(UiContext& ui);
  void choose_steps(UiContext& ui);
  void choose_from(UiContext& ui);

  std::string typed_, pattern_;
  bool is_wrong_ = false;  ///< the typed text names no step
  bool focuses_pattern_ = false;
};

}  // namespace lacuna
