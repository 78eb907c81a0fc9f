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

/// Where the timeline lies on the screen, in layout units:
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
  float steps_px = 0;  ///< the part of the ruler's foot that names steps
  float pins_px = 0;
  float width_px = 0;
  float height_px = 0;

  ImVec2 tracks() const { return {origin.x + header_px, origin.y + ruler_px + pins_px}; }
  float ruler_end() const { return origin.y + ruler_px; }
  ImVec2 tracks_end() const { return {tracks().x + width_px, tracks().y + height_px}; }
};

/// A marker of the user's.
struct MarkerMark {
  TimeSpan span;
  std::string_view label;
  bool is_chosen = false;
  bool is_temporary = false;
};

/// The place of the second part of a title ("61.3 % busy ..."), and as much of it as is shown. Empty: none.
struct HeaderDetail {
  ImVec2 at;
  float max_px = 0;  ///< it is cut to
  std::string_view text;
};
HeaderDetail header_detail(const Fonts& fonts, const TimelinePlace& place, const DrawHeader& header);

/// What the mouse and the selection add to the picture.
struct TimelineMarks {
  std::optional<float> cursor_x;         ///< crosshair, relative to the tracks
  std::optional<TimeSpan> area;          ///< selected range
  std::span<const TrackId> area_tracks;  ///< of the range; none = all
  std::span<const MarkerMark> markers;   ///< ascending by time
  bool is_snapped = false;               ///< the crosshair sticks to an edge
  bool area_is_zoom = false;             ///< the range is about to be zoomed to, not selected
  SliceId hovered;
  StringId lit_name;      ///< slices of this name are brighter and framed; invalid: none
  TrackId hovered_track;  ///< header under the mouse
  ProcessId hovered_process;
};

/// Slices of another trace, to be painted over those of the timeline: what a recording gained since.
struct TimelineLayer {
  const TimelineDrawList& list;
  const TimelineInput& input;
};

/// Paints one frame of the timeline. Reads only; cost O(draw list). UI thread.
void paint_timeline(ImDrawList& draw, const TimelineDrawList& list, const TimelineInput& input,
                    const TimelinePlace& place, const TimelineMarks& marks, const Theme& theme, const Fonts& fonts,
                    std::span<const TimelineLayer> over = {});

/// The tracks and their titles alone, without ruler and marks: the pane of the pinned ones.
void paint_pane(ImDrawList& draw, const TimelineDrawList& list, const TimelineInput& input, const TimelinePlace& place,
                const TimelineMarks& marks, const Theme& theme, const Fonts& fonts);

}  // namespace lacuna
