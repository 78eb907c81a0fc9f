#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/gui/models/roofline/roofline_view.h"
#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"

namespace lacuna {

/// The roofline page: a dot for each operator and shape between what it computes per byte and how fast, below the roofs
/// of the GPU, and the same as a table. A click leads to the longest call. UI thread.
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
  std::optional<std::uint32_t> pointed_;    ///< row of the table that the mouse was on in the frame before
  std::optional<std::uint32_t> scroll_to_;  ///< row that the table brings into view
};

}  // namespace lacuna
