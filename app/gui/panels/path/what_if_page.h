#pragma once

#include <string>

#include "app/gui/models/path/what_if_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The page "What if": what would gain most, a change of one's own, and measured, replayed and predicted times beside
/// each other with what they assume. UI thread.
class WhatIfPage {
 public:
  explicit WhatIfPage(WhatIfView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui);
  void ranking(UiContext& ui, const WhatIfView::Answer& answer);
  void own_change(UiContext& ui);
  void prediction(UiContext& ui, const WhatIfView::Answer& answer);
  void bar(UiContext& ui, const char* label, Nanos time, Nanos most, Rgba colour, std::string_view help);

  WhatIfView& view_;
  int kind_ = 0;      ///< of the change being made
  std::string name_;  ///< what it is about
  float percent_ = 50;
};

}  // namespace lacuna
