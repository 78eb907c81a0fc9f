#pragma once

#include <array>

#include "app/gui/ui_context.h"

namespace lacuna {

/// The statistics table with its filter; rows highlight and step through their slices. UI thread.
class StatisticsPanel {
 public:
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui);
  void table(UiContext& ui);
  void row(UiContext& ui, std::uint32_t index);
  void stepper(UiContext& ui);

  std::array<char, 256> filter_{};
};

}  // namespace lacuna
