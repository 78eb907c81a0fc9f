#pragma once

#include <optional>

#include "app/gui/application/idle_figures.h"
#include "app/gui/panels/ui_context.h"
#include "render/paint/paint_timeline.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// Mouse handling for the titles of processes and tracks: a click collapses, a drag moves a track within
/// its process (into the pane of pinned tracks: pins it), a right click opens a menu. Its only state is
/// that of the current gesture or open menu. UI thread, inside an ImGui window.
class HeaderColumn {
 public:
  /// Call right after the button that covers the titles of both panes. The lists are those of the last
  /// frame.
  void handle(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks, const TimelineDrawList& pins);
  /// Draws the marks over the titles, and the menus.
  void draw(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks, const TimelineDrawList& pins);
  /// Resets the state for another trace, whose ids differ.
  void forget();

  TrackId hovered_track() const { return hovered_track_; }
  ProcessId hovered_process() const { return hovered_process_; }
  void hover(ProcessId process) { hovered_process_ = process; }
  /// Shows what counts as idle if the mouse is on an idle figure; else returns false. For clicks on the header of a
  /// process, which extends over the tracks.
  bool explain_idle(UiContext& ui) const;

 private:
  /// The drop target of the dragged track.
  struct Target {
    bool is_valid = false;
    bool in_pins = false;
    std::size_t place = 0;  ///< index among the pins
    TrackId before;         ///< insert before this track; invalid: at the end
    ProcessId before_process;
    float y = 0;  ///< screen position of the line that marks it
  };

  /// A figure of busy and idle time under the mouse.
  struct IdleFigure {
    IdleSubject subject;
    ImVec2 a, b;
  };
  void find_idle_figure(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks,
                        const TimelineDrawList& pins);
  const DrawHeader* header_at(const TimelinePlace& place, const TimelineDrawList& tracks, const TimelineDrawList& pins,
                              float mouse_y, bool& in_pins) const;
  Target target_at(const TimelinePlace& place, const TimelineDrawList& tracks, const TimelineDrawList& pins,
                   float mouse_y) const;
  void click(UiContext& ui, float x);
  void drop(UiContext& ui, const Target& target);
  void explain(UiContext& ui, const DrawHeader& header);
  void check_boxes(UiContext& ui, const TimelineDrawList& list, ImVec2 corner, float bottom) const;

  TrackId hovered_track_;
  ProcessId hovered_process_;
  std::optional<IdleFigure> idle_figure_;
  // What the mouse button was pressed on.
  bool is_pressed_ = false;
  bool is_dragging_ = false;
  bool from_pins_ = false;
  float press_y_ = 0;
  TrackId pressed_track_;
  ProcessId pressed_process_;
  bool can_collapse_ = false;
  // The owner of the open menu.
  TrackId menu_track_;
  ProcessId menu_process_;
};

/// Draws the context menu of a title, inside an open popup. In track_menu.cpp.
void track_menu(UiContext& ui, TrackId track);
void process_menu(UiContext& ui, ProcessId process);

}  // namespace lacuna
