#pragma once

#include "app/gui/application/diff_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The page that compares the open trace with another one: names with their differences, the whole
/// in numbers, and the controls of the split timeline. UI thread.
class ComparePanel {
 public:
  explicit ComparePanel(DiffView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  void sides(UiContext& ui);
  void toolbar(UiContext& ui);
  void names(UiContext& ui);
  void row(UiContext& ui, std::uint32_t index);
  void summary(UiContext& ui);
  void copy(UiContext& ui, CopyFormat format);

  DiffView& view_;
  bool shows_summary_ = false;
};

}  // namespace lacuna
