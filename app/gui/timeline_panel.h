#pragma once

#include <optional>

#include "app/gui/live/live_overlay.h"
#include "app/gui/steps_popup.h"
#include "app/gui/ui_context.h"
#include "render/paint/paint_timeline.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// The timeline: lays out and paints one frame, and turns the mouse into operations on the
/// Workspace. Keeps only what belongs to a gesture under way. UI thread, inside an ImGui window.
class TimelinePanel {
 public:
  /// Fills the rectangle at the cursor with the given size.
  void draw(UiContext& ui, ImVec2 size);
  /// Tells the view where the mouse is, for the zoom keys. Before the view is animated.
  void follow_mouse(UiContext& ui) const;
  /// For tests: what the last frame showed.
  /// What a recording gained since the document shown.
  const TimelineDrawList& live_list() const { return overlay_.list(); }
  const TimelineDrawList& list() const { return list_; }
  const TimelinePlace& place() const { return place_; }
  /// Slices of another name than the one under the mouse recede.
  bool dims_others() const { return dims_others_; }

 private:
  enum class Drag { kNone, kPending, kArea, kPan, kZoom };

  TimelinePlace place_in(const UiContext& ui, ImVec2 at, ImVec2 size) const;
  void handle_mouse(UiContext& ui);
  void handle_wheel(UiContext& ui);
  void begin_drag(UiContext& ui, float x);
  void continue_drag(UiContext& ui, float x);
  void end_drag(UiContext& ui, float x);
  void click(UiContext& ui, const Hit& hit);
  void handle_headers(UiContext& ui);
  void corner(UiContext& ui);
  void track_menu(UiContext& ui);
  void slice_menu(UiContext& ui);
  void scroll_bar(UiContext& ui, ImVec2 at, float width);

  TimelineDrawList list_;
  LiveOverlay overlay_;
  TimelinePlace place_;
  Hit hover_;
  DocumentPtr shown_;  ///< what list_ and hover_ are of
  bool dims_others_ = false;
  bool is_hovered_ = false;   ///< the mouse is over the tracks
  TrackId hovered_track_;     ///< title under the mouse
  ProcessId hovered_process_;

  Drag drag_ = Drag::kNone;
  int button_ = 0;
  bool with_shift_ = false;   ///< when the button went down
  float press_x_ = 0, press_y_ = 0;
  Nanos anchor_ = 0;          ///< the end of the range that stays
  std::optional<TimeSpan> zoom_range_;
  float scroll_grab_ = 0;
  TrackId menu_track_;        ///< whose menu is open
  bool opens_slice_menu_ = false;
  StepsPopup steps_;
};

/// The tooltip of what is under the mouse. In timeline_tooltip.cpp.
void timeline_tooltip(UiContext& ui, const TimelineDrawList& list, const Hit& hit);
/// Name of what is under the mouse, for the state dump; empty for nothing.
std::string hovered_name(const UiContext& ui, const TimelineDrawList& list, const Hit& hit);

}  // namespace lacuna
