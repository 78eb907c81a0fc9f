#pragma once

#include <optional>

#include "app/gui/application/idle_figures.h"
#include "app/gui/panels/ui_context.h"
#include "render/paint/paint_timeline.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// The titles of processes and tracks under the mouse: a click collapses, a drag moves a track within
/// its process (into the pane of pinned tracks: pins it), a right click opens a menu. Keeps only what
/// belongs to a gesture or an open menu. UI thread, inside an ImGui window.
class HeaderColumn {
 public:
  /// Right after the button that covers the titles of both panes. The lists are those that the last
  /// frame showed.
  void handle(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks, const TimelineDrawList& pins);
  /// Marks over the titles, and the menus.
  void draw(UiContext& ui, const TimelinePlace& place, const TimelineDrawList& tracks, const TimelineDrawList& pins);
  /// Another trace: ids mean nothing any more.
  void forget();

  TrackId hovered_track() const { return hovered_track_; }
  ProcessId hovered_process() const { return hovered_process_; }
  void hover(ProcessId process) { hovered_process_ = process; }
  /// Shows what counts as idle when the mouse is on an idle figure; else false. For clicks on the band of a
  /// process, which reaches over the tracks.
  bool explain_idle(UiContext& ui) const;

 private:
  /// The place to which what is dragged would go.
  struct Target {
    bool is_valid = false;
    bool in_pins = false;
    std::size_t place = 0;  ///< among the pins
    TrackId before;         ///< invalid: at the end
    ProcessId before_process;
    float y = 0;  ///< of the line that shows it, on the screen
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
  // What the button went down on.
  bool is_pressed_ = false;
  bool is_dragging_ = false;
  bool from_pins_ = false;
  float press_y_ = 0;
  TrackId pressed_track_;
  ProcessId pressed_process_;
  bool can_collapse_ = false;
  // Whose menu is open.
  TrackId menu_track_;
  ProcessId menu_process_;
};

/// What a right click on a title offers: inside an open popup. In track_menu.cpp.
void track_menu(UiContext& ui, TrackId track);
void process_menu(UiContext& ui, ProcessId process);

}  // namespace lacuna
