#pragma once

#include <array>

#include "app/gui/panels/ui_context.h"

namespace lacuna {

/// The page that compares the open trace with another one: names with their differences, the whole
/// in numbers, and the controls of the split timeline. UI thread.
class ComparePanel {
 public:
  void draw(UiContext& ui);

 private:
  void sides(UiContext& ui);
  void toolbar(UiContext& ui);
  void names(UiContext& ui);
  void row(UiContext& ui, std::uint32_t index);
  void summary(UiContext& ui);
  void copy(UiContext& ui, int how);

  std::array<char, 256> filter_{};
  bool shows_summary_ = false;
};

}  // namespace lacuna
