#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/base/time.h"
#include "render/draw_list.h"
#include "render/paint/fonts.h"
#include "render/paint/imgui_compat.h"
#include "render/paint/theme.h"
#include "render/timeline_layout.h"

namespace lacuna {

/// The position of the timeline on the screen, in layout units:
///
///   origin +--------+-----------------------------+
///          | corner | ruler            ruler_px   |
///          +--------+-----------------------------+
///          | pinned tracks, a pane of their own   |  pins_px
///          +--------+-----------------------------+
///          | titles | tracks: draw list's (0, 0)  |  height_px
///          +--------+-----------------------------+
///           header_px          width_px
struct TimelinePlace {
  ImVec2 origin;
  float header_px = 0;
  float ruler_px = 0;
  float steps_px = 0;  ///< height of the part at the bottom of the ruler that names steps
  float pins_px = 0;
  float width_px = 0;
  float height_px = 0;

  ImVec2 tracks() const { return {origin.x + header_px, origin.y + ruler_px + pins_px}; }
  float ruler_end() const { return origin.y + ruler_px; }
  ImVec2 tracks_end() const { return {tracks().x + width_px, tracks().y + height_px}; }
};

/// A marker set by the user.
struct MarkerMark {
  TimeSpan span;
  std::string_view label;
  bool is_chosen = false;
  bool is_temporary = false;
};

/// The position of the second part of a title ("61.3 % busy ..."), and the visible part of its text. Empty: none.
struct HeaderDetail {
  ImVec2 at;
  float max_px = 0;  ///< width to which it is cut
  std::string_view text;
};
HeaderDetail header_detail(const Fonts& fonts, const TimelinePlace& place, const DrawHeader& header);

/// What the mouse and the selection add to the frame.
struct TimelineMarks {
  std::optional<float> cursor_x;         ///< crosshair, relative to the tracks
  std::optional<TimeSpan> area;          ///< selected range
  std::span<const TrackId> area_tracks;  ///< tracks of the range; none = all
  std::span<const MarkerMark> markers;   ///< ascending by time
  bool is_snapped = false;               ///< the crosshair snaps to an edge
  bool area_is_zoom = false;             ///< the range will be zoomed to, not selected
  SliceId hovered;
  StringId lit_name;      ///< slices of this name are brighter and framed; invalid: none
  TrackId hovered_track;  ///< the header under the mouse
  ProcessId hovered_process;
};

/// Slices of another trace, to be painted over the timeline's: the new ones of a recording.
struct TimelineLayer {
  const TimelineDrawList& list;
  const TimelineInput& input;
};

/// Paints one frame of the timeline. Read-only; cost O(draw list). UI thread.
void paint_timeline(ImDrawList& draw, const TimelineDrawList& list, const TimelineInput& input,
                    const TimelinePlace& place, const TimelineMarks& marks, const Theme& theme, const Fonts& fonts,
                    std::span<const TimelineLayer> over = {});

/// Paints only the tracks and their titles, without ruler and marks: the pane of the pinned tracks.
void paint_pane(ImDrawList& draw, const TimelineDrawList& list, const TimelineInput& input, const TimelinePlace& place,
                const TimelineMarks& marks, const Theme& theme, const Fonts& fonts);

}  // namespace lacuna
