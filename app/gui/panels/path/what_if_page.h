#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/gui/application/requests.h"
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
  /// Adds what another part of the window asks about.
  void try_change(const ask::TryWhatIf& asked);
  void own_change(UiContext& ui);
  /// The box of a name, with the names that what is typed is part of below it. True: Enter was pressed.
  bool name_box(UiContext& ui, const char* hint);
  void find_names(const UiContext& ui);
  void name_list(UiContext& ui, ImVec2 below);
  /// Puts a whole name in the place of the part that was typed.
  void complete(std::string_view name);
  void changes(UiContext& ui);
  void prediction(UiContext& ui, const WhatIfView::Answer& answer);
  void bar(UiContext& ui, const char* label, Nanos time, Nanos most, Rgba colour, std::string_view help);

  WhatIfView& view_;
  int kind_ = 0;      ///< of the change being made
  std::string name_;  ///< what it is about
  float percent_ = 50;
  // Names of the trace that what is typed is part of.
  DocumentPtr names_of_;
  std::vector<StringId> names_;  ///< most time first
  std::string found_for_;
  std::vector<std::string_view> found_;  ///< the first of them
  bool is_list_open_ = false;
};

}  // namespace lacuna
