#pragma once
// The steps of paint_timeline, one file each. Internal.

#include <array>
#include <cstddef>

#include "render/paint/paint_timeline.h"

namespace lacuna {

/// The arguments of every painting step.
struct PaintContext {
  ImDrawList& draw;
  const TimelineDrawList& list;
  const TimelineInput& input;
  const TimelinePlace& place;
  const TimelineMarks& marks;
  const Theme& theme;
  const Fonts& fonts;

  /// Converts coordinates of the draw list to the screen's.
  ImVec2 at(float x, float y) const { return {place.tracks().x + x, place.tracks().y + y}; }
};

/// Collects plain rectangles and passes them to ImGui in blocks: one reservation instead of one call
/// with several checks per rectangle, which dominates the time of a frame of 10,000 slices.
class RectBatch {
 public:
  explicit RectBatch(ImDrawList& draw) : draw_(draw) {}
  ~RectBatch() { flush(); }
  RectBatch(const RectBatch&) = delete;
  RectBatch& operator=(const RectBatch&) = delete;

  void add(ImVec2 a, ImVec2 b, ImU32 colour) {
    if (count_ == rects_.size()) flush();
    rects_[count_++] = {a, b, colour};
  }
  void flush() {
    if (count_ == 0) return;
    draw_.PrimReserve(static_cast<int>(count_) * 6, static_cast<int>(count_) * 4);
    for (std::size_t i = 0; i < count_; ++i) draw_.PrimRect(rects_[i].a, rects_[i].b, rects_[i].colour);
    count_ = 0;
  }

 private:
  struct Rect {
    ImVec2 a, b;
    ImU32 colour;
  };
  ImDrawList& draw_;
  std::array<Rect, 512> rects_;
  std::size_t count_ = 0;
};

void paint_backgrounds(const PaintContext& c);
void paint_gaps(const PaintContext& c);
/// Paints the longest gap of each stream, if its label does not fit: over the slices beside it.
void paint_gap_names(const PaintContext& c);
void paint_waits(const PaintContext& c);
void paint_dead_windows(const PaintContext& c);
void paint_counters(const PaintContext& c);
void paint_slices(const PaintContext& c);
void paint_instants(const PaintContext& c);
void paint_memory(const PaintContext& c);
void paint_arrows(const PaintContext& c);
void paint_path(const PaintContext& c);
/// Paints the selected range over the tracks of one pane.
void paint_area_rows(const PaintContext& c);
void paint_headers(const PaintContext& c);
void paint_ruler(const PaintContext& c);
void paint_marks(const PaintContext& c);

/// Draws an expand/collapse triangle centred at `centre`.
void paint_triangle(ImDrawList& draw, ImVec2 centre, float size, bool is_open, ImU32 colour);

}  // namespace lacuna
