#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/gaps.h"
#include "model/trace.h"
#include "render/camera.h"
#include "render/draw_list.h"
#include "render/palette.h"

namespace lacuna {

/// What of the tracks is folded away; kept by the app, changed by clicks on headers.
struct TrackState {
  bool is_collapsed = false;
};

/// Row heights and spacing in pixels at scale 1, times `scale`.
struct TimelineMetrics {
  float scale = 1;
  float row = 18;             ///< one lane of slices
  float collapsed_row = 5;    ///< one lane of a collapsed track (at most 4 are drawn)
  float process_header = 26;
  float track_gap = 6;        ///< between tracks
  float min_track = 24;       ///< least height of a track, so that its title fits
  float counter = 40;
  float min_slice_px = 1;     ///< narrowest rectangle; smaller slices are folded
  float label_min_px = 22;    ///< narrowest rectangle that gets a label
  float px(float v) const { return v * scale; }
};

/// Everything that a frame depends on. All pointers are borrowed for the call.
struct TimelineInput {
  const Trace* trace = nullptr;
  const std::vector<StreamActivity>* streams = nullptr;  ///< for gaps; may be null
  const Palette* palette = nullptr;
  Camera camera;
  float width_px = 0;         ///< of the drawing area, right of the headers
  float height_px = 0;
  float scroll_y = 0;
  TimelineMetrics metrics;
  std::vector<TrackState> tracks;          ///< by TrackId; missing = default
  std::vector<std::uint8_t> collapsed_processes;  ///< by ProcessId; missing = expanded
  Nanos min_gap_ns = 0;       ///< shorter gaps are not painted
  bool show_gaps = true;
  SliceId selected;
  std::uint32_t selected_gap_stream = 0xffffffffu, selected_gap = 0;
  StringId highlighted_name;  ///< invalid = none; others are dimmed
  Nanos time_origin = 0;      ///< what the ruler calls 0
};

/// Where one track lies vertically, in content coordinates (before scrolling).
struct TrackPlace {
  TrackId track;
  float y0 = 0, y1 = 0;
  float lanes_y0 = 0;         ///< top of the first lane
  float row_px = 0;           ///< height of a lane
  std::uint32_t rows = 0;     ///< lanes drawn
};

/// Vertical layout of all processes and tracks: O(tracks). Recompute when collapse state, metrics
/// or the trace change, not per frame.
struct VerticalLayout {
  std::vector<TrackPlace> tracks;  ///< ascending by y0
  struct ProcessPlace { ProcessId process; float y0 = 0, y1 = 0; };
  std::vector<ProcessPlace> processes;
  float height = 0;
  const TrackPlace* find(TrackId id) const;
};
VerticalLayout layout_vertically(const TimelineInput& input);

/// Fills `out` with what is visible. Pure: same input, same list. Cost O(visible rows * pixels *
/// log n); no allocation once `out` has grown to its size.
void layout_timeline(const TimelineInput& input, const VerticalLayout& vertical, TimelineDrawList& out);

/// What lies under a point of the last frame.
struct Hit {
  enum class Kind : std::uint8_t { kNothing, kSlice, kGap, kInstant, kCounter, kTrack, kProcess } kind = Kind::kNothing;
  SliceId slice;
  std::uint32_t folded = 1;
  TrackId track;
  ProcessId process;
  std::uint32_t index = 0;    ///< into the DrawList's vector of that kind
};
/// `y` relative to the timeline's top (scrolled), as in the draw list.
Hit hit_test(const TimelineDrawList& list, float x, float y);

}  // namespace lacuna
