#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/ids.h"
#include "model/base/time.h"
#include "model/causes/gap_cause.h"
#include "render/recycled.h"

namespace lacuna {

/// A colour as 0xRRGGBBAA.
using Rgba = std::uint32_t;

/// The contents of a timeline frame, as plain data: layout fills it, paint turns it into ImGui
/// calls, tests inspect it. Coordinates in pixels, relative to the timeline's top left corner, x to
/// the right, y down; float is enough because everything is clipped to the view (plus one pixel on
/// either side) first.
struct DrawSlice {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Rgba fill = 0;
  Rgba text = 0;                     ///< label colour with enough contrast on `fill`
  SliceId slice;                     ///< the slice, or the longest of those folded
  StringId name = kEmptyString;      ///< its name; for several slices the one with most of their time
  std::uint32_t first = 0;           ///< index in its row of the first slice in this rectangle
  std::uint32_t folded = 1;          ///< number of slices in this rectangle, adjacent in the row
  std::uint32_t outer = 1;           ///< number of nested slices that are drawn as this one, the innermost
  float coverage = 1;                ///< fraction of the rectangle in which a slice runs: density; 1 if unknown
  float label_x0 = 0, label_x1 = 0;  ///< visible part of the rectangle, for the label
  bool is_gpu = false;               ///< drawn with the GPU style
  bool is_annotation = false;        ///< names a stretch of GPU time, not work: drawn pale
  bool is_unfinished = false;
  bool is_selected = false;     ///< the selected slice is in this rectangle
  bool is_highlighted = false;  ///< same name as the hovered slice or chosen row
  bool is_dimmed = false;       ///< something else is highlighted
  bool has_label = false;       ///< wide enough for text; the text is the slice's name
};

/// One row of slices that is in view; its rectangles are slices[first, last), ascending in x and
/// free of overlap.
struct DrawRow {
  float y0 = 0, y1 = 0;
  TrackId track;
  LaneId lane;  ///< invalid if slices are hidden: then the row has slices of several lanes
  std::uint32_t first = 0, last = 0;
};

/// An idle interval of a GPU stream.
struct DrawGap {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Nanos start = 0, end = 0;             ///< of the longest, if folded
  std::uint32_t stream = 0;             ///< index into TimelineInput::streams
  std::uint32_t gap = 0;                ///< index into its gaps; of the longest, if folded
  std::uint32_t first = 0;              ///< index into its gaps of the first in this rectangle
  std::uint32_t folded = 1;             ///< number of gaps in this rectangle, adjacent in the stream
  float intensity = 0;                  ///< 0..1 by length, on a logarithmic scale relative to the view
  GapCause cause = GapCause::kUnknown;  ///< of the longest; valid only if has_cause
  bool has_cause = false;
  bool shows_cause = false;  ///< there is room for the cause's name behind the label
  bool is_dimmed = false;    ///< other gaps are marked
  bool is_selected = false;
  bool is_longest = false;  ///< of its stream in view, and long enough to be named even if its label does not fit
  std::string label;        ///< duration, empty if it does not fit; short enough not to allocate
};

struct DrawInstant {
  float x = 0, y0 = 0, y1 = 0;
  TrackId track;
  std::uint32_t index = 0;  ///< into Track::instants; of the first, if folded
  std::uint32_t folded = 1;
  bool is_selected = false;  ///< whether the selected instant is among them
};

/// An allocation, drawn below the slice that made it.
struct DrawMemoryMark {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t index = 0;   ///< into MemoryMarks; of the largest, if folded
  std::uint32_t folded = 1;  ///< number of allocations in this rectangle
  std::string label;         ///< "+4.00 MiB"; empty when it does not fit

  void reset();
};

/// A step of a counter: from (x0, y) to (x1, y) over the base line.
struct DrawCounterStep {
  float x0 = 0, x1 = 0, y = 0, y_base = 0;
  float y_low = 0;  ///< y of the least value, if folded; else == y
  TrackId track;
  std::uint32_t extra = kNoIndex;  ///< index into TimelineInput::extra_counters, if it is one
  bool is_extra() const { return extra != kNoIndex; }
  std::uint32_t index = 0;   ///< into CounterSeries; of the greatest value, if folded
  std::uint32_t folded = 1;  ///< number of samples in this step
};

/// A stretch of the critical path on a row.
struct DrawPathBar {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< y: of the row
  bool is_wait = false;                  ///< nothing ran: launch latency or queueing
};
/// A part of the time between a launch and the start of its work, for the selected GPU slice.
struct DrawWait {
  float x0 = 0, x1 = 0;
  float y0 = 0, y1 = 0;    ///< of the slice's row
  bool is_queued = false;  ///< waiting behind other work of its stream; else latency
  std::string label;       ///< a description

  void reset();
};

/// The idle time inside an annotation before its first activity.
struct DrawDead {
  float x0 = 0, x1 = 0, y0 = 0, y1 = 0;  ///< below the annotation's row
  std::string label;                     ///< empty if it does not fit

  void reset();
};

/// A place where the critical path moves from one row to another.
struct DrawPathLink {
  float x = 0, y0 = 0, y1 = 0;  ///< tops of both rows
};

/// Connects a launch with a kernel, or the ends of a flow.
struct DrawArrow {
  enum class Kind : std::uint8_t { kLaunch, kFlow } kind = Kind::kLaunch;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  SliceId from, to;          ///< of the first, if folded
  std::uint32_t folded = 1;  ///< number of arrows that coincide
  bool is_pale = false;      ///< not an arrow of the selected slice
  bool is_focused = false;   ///< the arrow that is followed next
};

/// The width in the frame of all gaps of one cause.
struct DrawCause {
  GapCause cause = GapCause::kUnknown;
  float px = 0;
};

/// Background and title of one track or process.
struct DrawHeader {
  /// kExtra: for one of TimelineInput::extra_counters; `track` is the one above it.
  /// kGroup: above a run of processes, with a title only.
  enum class Kind : std::uint8_t { kProcess, kTrack, kExtra, kGroup } kind = Kind::kTrack;
  float y0 = 0, y1 = 0;
  ProcessId process;
  TrackId track;  ///< invalid for a process
  std::string title;
  std::string detail;     ///< second line: "61.3 % busy · 4.21 ms idle"
  float busy_share = -1;  ///< 0..1 in the visible range; < 0 = not a GPU stream, or no activity
  int indent = 0;
  bool is_collapsed = false;
  bool can_collapse = false;
  bool is_gpu = false;
  bool is_odd = false;  ///< alternate shade
  /// For a GPU's process: causes of its gaps in view, largest width first.
  std::vector<DrawCause> causes;

  void reset();
};

struct DrawTick {
  float x = 0;
  bool is_major = false;
  std::string label;  ///< majors only

  void reset();
};

/// One step of the program, below the ruler's ticks.
struct DrawStep {
  float x0 = 0, x1 = 0;
  std::string label;  ///< "#12"; empty when it does not fit

  void reset();
};

/// A stretch of time that is drawn shortened, because every lane is idle.
struct DrawTimeFold {
  float x0 = 0, x1 = 0;
  TimeSpan span;
  std::string label;  ///< its duration; empty if it does not fit

  void reset();
};

/// Reused from frame to frame: clear() keeps the memory.
struct TimelineDrawList {
  Recycled<DrawHeader> headers;
  std::vector<DrawRow> rows;      ///< ascending in y0
  std::vector<DrawSlice> slices;  ///< row by row
  std::vector<DrawGap> gaps;
  std::vector<DrawInstant> instants;
  Recycled<DrawMemoryMark> memory_marks;
  std::vector<DrawCounterStep> counter_steps;
  std::vector<DrawArrow> arrows;
  std::vector<DrawPathBar> path_bars;
  std::vector<DrawPathLink> path_links;
  Recycled<DrawWait> waits;
  Recycled<DrawDead> dead_windows;
  std::vector<float> match_ticks;  ///< x of search matches, ascending
  Recycled<DrawTick> ticks;
  Recycled<DrawTimeFold> time_folds;  ///< ascending in x0, free of overlap
  Recycled<DrawStep> steps;           ///< ascending in x0, free of overlap
  float content_height = 0;           ///< height of all tracks, for the scroll bar

  void clear();
};

}  // namespace lacuna
