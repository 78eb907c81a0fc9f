#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace lacuna {

/// A colour as 0xRRGGBBAA.
using Rgba = std::uint32_t;

/// What a frame of the timeline shows, as plain data: layout fills it, paint turns it into ImGui
/// calls, tests look at it. Coordinates in pixels, relative to the timeline's top left corner, x to
/// the right, y down; float is enough because everything is clipped to the view first.
struct DrawSlice {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Rgba fill = 0;
  Rgba text = 0;           ///< label colour with enough contrast on `fill`
  SliceId slice;           ///< the slice, or the longest of those folded
  std::uint32_t folded = 1;///< number of slices in this rectangle
  bool is_gpu = false;     ///< drawn with the GPU style
  bool is_unfinished = false;
  bool is_selected = false;
  bool is_highlighted = false;  ///< same name as the hovered slice or chosen row
  bool is_dimmed = false;       ///< something else is highlighted
  bool has_label = false;       ///< wide enough for text; the text is the slice's name
  float label_x0 = 0, label_x1 = 0;  ///< visible part of the rectangle, for the label
};

/// An idle interval of a GPU stream.
struct DrawGap {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Nanos start = 0, end = 0;
  std::uint32_t stream = 0;   ///< index into TimelineInput::streams
  std::uint32_t gap = 0;      ///< index into its gaps; of the longest when folded
  std::uint32_t folded = 1;   ///< number of gaps in this rectangle
  float intensity = 0;        ///< 0..1 by length
  bool is_selected = false;
  std::string label;          ///< duration, empty when it does not fit
};

struct DrawInstant {
  float x = 0, y0 = 0, y1 = 0;
  TrackId track;
  std::uint32_t index = 0;    ///< into Track::instants
  std::uint32_t folded = 1;
};

/// A counter as steps: from (x0, y) to (x1, y) over the base line.
struct DrawCounterStep {
  float x0 = 0, x1 = 0, y = 0, y_base = 0;
  TrackId track;
  std::uint32_t index = 0;    ///< into CounterSeries
};

/// Connects a launch with a kernel, or the ends of a flow.
struct DrawArrow {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  SliceId from, to;
};

/// Background and title of one track or process.
struct DrawHeader {
  enum class Kind : std::uint8_t { kProcess, kTrack } kind = Kind::kTrack;
  float y0 = 0, y1 = 0;
  ProcessId process;
  TrackId track;              ///< invalid for a process
  std::string title;
  std::string detail;         ///< second line: "97.3 % busy · 1,465 kernels"
  float busy_share = -1;      ///< 0..1 in the visible range; < 0 = not a GPU stream
  int indent = 0;
  bool is_collapsed = false;
  bool can_collapse = false;
  bool is_gpu = false;
  bool is_odd = false;        ///< alternate shade
};

struct DrawTick {
  float x = 0;
  bool is_major = false;
  std::string label;          ///< majors only
};

/// Reused from frame to frame: clear() keeps the capacity.
struct TimelineDrawList {
  std::vector<DrawHeader> headers;
  std::vector<DrawSlice> slices;
  std::vector<DrawGap> gaps;
  std::vector<DrawInstant> instants;
  std::vector<DrawCounterStep> counter_steps;
  std::vector<DrawArrow> arrows;
  std::vector<DrawTick> ticks;
  float content_height = 0;   ///< of all tracks, for the scroll bar

  void clear();
};

}  // namespace lacuna
