#pragma once

#include <string>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The page with the recorded program's output, its exit status, and the buttons to end and start it.
/// Cost per frame: the lines in view. UI thread.
class ConsolePanel {
 public:
  void draw(UiContext& ui);

 private:
  std::uint64_t shown_version_ = 0;
  bool follows_ = true;  ///< stay scrolled to the end
};

}  // namespace lacuna
