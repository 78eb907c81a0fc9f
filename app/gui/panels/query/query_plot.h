#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/gui/models/query/query_view.h"
#include "app/gui/panels/ui_context.h"
#include "render/plot_layout.h"

namespace lacuna {

/// A plot of one column of an answer over another: points (joined if x ascends), or bars if x is text. A
/// click goes to the row's place on the timeline. UI thread.
class QueryPlot {
 public:
  explicit QueryPlot(QueryView& view) : view_(view) {}
  void draw(UiContext& ui, const QueryView::Answer& answer);

 private:
  bool choose(UiContext& ui, const char* label, const QueryView::Answer& answer, std::size_t& column,
              bool only_numbers) const;
  void read(const QueryView::Answer& answer);
  void points(UiContext& ui, const QueryView::Answer& answer, ImVec2 size);
  void bars(UiContext& ui, const QueryView::Answer& answer, ImVec2 size);
  void row_tooltip(UiContext& ui, const QueryView::Answer& answer, std::uint32_t row, std::uint32_t folded) const;
  std::string value_text(const std::string& column, double value) const;

  QueryView& view_;
  // The data read, and its source.
  std::uint64_t answer_ = 0;
  std::size_t x_ = 0, y_ = 0;
  std::vector<std::uint32_t> rows_;  ///< rows of the answer that have numbers
  std::vector<double> xs_, ys_;
  double least_x_ = 0, most_x_ = 0, least_y_ = 0, most_y_ = 0;
  bool ascends_ = false;
  // The layout.
  float width_ = 0, height_ = 0;
  std::vector<PlotPoint> points_;
};

}  // namespace lacuna
