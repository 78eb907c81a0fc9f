#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/gui/models/roofline/roofline_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The roofline page: a dot for each operator and shape by FLOP per byte and FLOP per second, below the roofs of the
/// GPU, and the same data as a table. A click goes to the longest call. UI thread.
class RooflinePage {
 public:
  explicit RooflinePage(RooflineView& view) : view_(view) {}
  void draw(UiContext& ui);

 private:
  using Answer = RooflineView::Answer;
  void toolbar(UiContext& ui, const Answer* answer);
  void table(UiContext& ui, const Answer& answer, ImVec2 size);
  void row(UiContext& ui, const Answer& answer, std::uint32_t index);
  void choose(UiContext& ui, const Answer& answer, std::uint32_t row);
  void copy(UiContext& ui, CopyFormat format);

  // roofline_chart.cpp
  void legend(UiContext& ui, const Answer& answer);
  void chart(UiContext& ui, const Answer& answer, ImVec2 size);
  void dot_tooltip(UiContext& ui, const Answer& answer, std::uint32_t row);

  RooflineView& view_;
  std::optional<std::uint32_t> pointed_;    ///< table row under the mouse in the last frame
  std::optional<std::uint32_t> scroll_to_;  ///< row to scroll to in the table
};

}  // namespace lacuna
