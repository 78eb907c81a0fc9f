#pragma once

#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The choice of steps: a button in the corner of the timeline and its popup. A click selects one
/// step, Shift+click up to it; or numbers are typed ("12..15"). Below stands what the steps are told by, and what else
/// they could be told by. UI thread.
class StepsPopup {
 public:
  /// Draws the button at the cursor, and the popup while it is open.
  void draw(UiContext& ui);
  /// Width of the button; 0 where there are neither steps nor what could be.
  float width(const UiContext& ui) const;

 private:
  void button(UiContext& ui);
  void list(UiContext& ui);
  void choose_steps(UiContext& ui);
  void choose_from(UiContext& ui);

  std::string typed_, pattern_;
  bool is_wrong_ = false;  ///< what was typed names no step
  bool focuses_pattern_ = false;
};

}  // namespace lacuna
