#pragma once

#include <optional>

#include "app/gui/models/live/live_overlay.h"
#include "app/gui/panels/minimap/minimap.h"
#include "app/gui/panels/query/result_strips.h"
#include "app/gui/panels/timeline/steps_popup.h"
#include "app/gui/panels/tracks/header_column.h"
#include "app/gui/panels/tracks/track_tools.h"
#include "app/gui/panels/ui_context.h"
#include "render/paint/paint_timeline.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// The timeline: lays out and paints one frame, and translates mouse input into operations on the
/// Workspace. Its only own state is that of the current gesture. UI thread, inside an ImGui window.
class TimelinePanel {
 public:
  explicit TimelinePanel(QueryView& query) : results_(query) {}
  /// Fills the rectangle at the cursor with the given size.
  void draw(UiContext& ui, ImVec2 size);
  /// Passes the mouse position to the view, for the zoom keys. Call before the view is animated.
  void follow_mouse(UiContext& ui) const;
  /// For tests: contents of the last frame.
  /// Returns the events of a recording since the shown document.
  const LiveOverlay& live_overlay() const { return overlay_; }
  const TimelineDrawList& list() const { return list_; }
  const TimelineDrawList& pinned_list() const { return pins_; }
  const TimelinePlace& place() const { return place_; }
  /// Returns the name whose slices are highlighted as the mouse rests on one of them. Invalid: none.
  StringId lit_name() const { return lit_name_; }
  /// Returns the panel's corner in layout units: for pictures.
  ImVec2 corner() const { return at_; }
  ImVec2 size() const { return size_; }

 private:
  enum class Drag { kNone, kPending, kArea, kPan, kZoom };

  TimelinePlace place_in(const UiContext& ui, ImVec2 at, ImVec2 size) const;
  void handle_mouse(UiContext& ui);
  void handle_wheel(UiContext& ui);
  void begin_drag(UiContext& ui, float x);
  void continue_drag(UiContext& ui, float x);
  void end_drag(UiContext& ui, float x);
  /// Moves the end of the range that follows the mouse. In area/area_drag.cpp.
  void drag_area(UiContext& ui, float x);
  /// Returns the time at `x`, or that of an edge nearby; with Alt always that at `x`.
  Nanos snapped(const UiContext& ui, float x);
  void click(UiContext& ui, const Hit& hit);
  void corner(UiContext& ui);
  /// Draws the colours of the classes in view. In timeline_legend.cpp.
  void class_legend(UiContext& ui) const;
  void slice_menu(UiContext& ui);
  void hide_entries(UiContext& ui);
  /// Draws the context menu of the ruler. In markers/ruler.cpp.
  void ruler_menu(UiContext& ui);
  /// Returns the marker on the ruler at `x`; 0 = none.
  std::uint32_t marker_at(UiContext& ui, float x) const;
  void collect_markers(UiContext& ui);
  /// Handles a click above the tracks: selects a marker or a step. Returns false if there is none.
  bool click_ruler(UiContext& ui);
  /// Draws the pane of pinned tracks.
  void draw_pins(UiContext& ui, const TimelineMarks& marks);
  TimelinePlace pins_place() const;
  /// Returns the list with the hovered element.
  const TimelineDrawList& hovered_list() const { return in_pins_ ? pins_ : list_; }
  void scroll_bar(UiContext& ui, ImVec2 at, float width);

  TimelineDrawList list_;
  LiveOverlay overlay_;
  TimelineDrawList pins_;  ///< of the pane of pinned tracks
  TimelinePlace place_;
  ImVec2 at_, size_;
  bool in_pins_ = false;  ///< the mouse is over the pinned tracks' pane
  Hit hover_;
  std::optional<LiveSlice> live_hover_;  ///< if set, hover_ is nothing
  DocumentPtr shown_;                    ///< the document of list_ and hover_
  StringId lit_name_;
  bool is_hovered_ = false;  ///< the mouse is over the tracks
  HeaderColumn headers_;
  TrackTools tools_;
  Minimap minimap_;
  ResultStrips results_;

  Drag drag_ = Drag::kNone;
  int button_ = 0;
  bool with_shift_ = false;  ///< Shift was held when the button was pressed
  float press_x_ = 0, press_y_ = 0;
  Nanos anchor_ = 0;             ///< the fixed end of the dragged range
  bool chooses_tracks_ = false;  ///< the drag began on a track, so it selects tracks as well
  std::vector<MarkerMark> marker_marks_;
  std::optional<float> snapped_x_;  ///< where the dragged end snaps to an edge
  std::optional<TimeSpan> zoom_range_;
  float scroll_grab_ = 0;
  bool opens_slice_menu_ = false;
  bool opens_ruler_menu_ = false;
  Nanos menu_time_ = 0;  ///< time at which the ruler's menu was opened
  StepsPopup steps_;
};

/// Draws the tooltip of the element under the mouse. In timeline_tooltip.cpp.
void timeline_tooltip(UiContext& ui, const TimelineDrawList& list, const Hit& hit);
/// Returns the name of the element under the mouse, for the state dump; empty if there is none.
std::string hovered_name(const UiContext& ui, const TimelineDrawList& list, const Hit& hit);

}  // namespace lacuna
