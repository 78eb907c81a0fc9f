#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/gui/application/requests.h"
#include "app/gui/models/path/what_if_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The "What if" page: the most gainful changes, a change of the user's own, and measured, replayed and predicted times
/// side by side with their assumptions. UI thread.
class WhatIfPage {
 public:
  explicit WhatIfPage(WhatIfView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui);
  void ranking(UiContext& ui, const WhatIfView::Answer& answer);
  /// Adds a change requested by another part of the window.
  void try_change(const ask::TryWhatIf& asked);
  void own_change(UiContext& ui);
  /// Draws the box for a name, and below it the names that contain the typed text. Returns true when Enter was pressed.
  bool name_box(UiContext& ui, const char* hint);
  void find_names(const UiContext& ui);
  void name_list(UiContext& ui, ImVec2 below);
  /// Replaces the typed text by a whole name.
  void complete(std::string_view name);
  void changes(UiContext& ui);
  void prediction(UiContext& ui, const WhatIfView::Answer& answer);
  void bar(UiContext& ui, const char* label, Nanos time, Nanos most, Rgba colour, std::string_view help);

  WhatIfView& view_;
  int kind_ = 0;      ///< of the change being edited
  std::string name_;  ///< the name it applies to
  float percent_ = 50;
  // Names of the trace that contain the typed text.
  DocumentPtr names_of_;
  std::vector<StringId> names_;  ///< most time first
  std::string found_for_;
  std::vector<std::string_view> found_;  ///< the first of names_ that match
  bool is_list_open_ = false;
};

}  // namespace lacuna
