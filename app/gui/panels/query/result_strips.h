#pragma once

#include <cstdint>
#include <vector>

#include "app/gui/models/query/query_view.h"
#include "app/gui/panels/ui_context.h"
#include "render/paint/paint_timeline.h"
#include "render/result_layout.h"

namespace lacuna {

/// Query results on the timeline: a pane at its bottom with one strip per result, each with a title and a close button
/// on the left. Marks are also drawn across all tracks. A click selects the slice, or the range, of a row. UI thread.
class ResultStrips {
 public:
  explicit ResultStrips(QueryView& view) : view_(view) {}
  /// Returns the pane's height, at most `most_px`; 0 without results.
  float height(const UiContext& ui, float most_px) const;
  /// Draws the strips below `at`, on the time axis of the tracks above. `place`: that of the timeline.
  void draw(UiContext& ui, const TimelinePlace& place, ImVec2 at, float height_px);
  /// Whether the mouse is over the tracks' part of the pane.
  bool is_hovered() const { return is_hovered_; }

 private:
  struct Strip {
    float y0 = 0, y1 = 0;
    float lane_px = 0;
  };

  void place_strips(const UiContext& ui, float most_px, std::vector<Strip>& out) const;
  /// Draws a strip's title. Returns true if the strip is to be removed.
  bool title(UiContext& ui, const QueryView::Shown& shown, ImVec2 at, ImVec2 size);
  void lanes(UiContext& ui, const QueryView::Shown& shown, const Strip& strip, ImVec2 at, float width_px);
  void marks(UiContext& ui, const QueryView::Shown& shown, const TimelinePlace& place) const;
  void mouse(UiContext& ui, const QueryView::Shown& shown, const Strip& strip, ImVec2 at);

  QueryView& view_;
  std::vector<Strip> strips_;
  std::vector<ResultRect> rects_;  ///< of the strip being drawn
  bool is_hovered_ = false;
};

}  // namespace lacuna
