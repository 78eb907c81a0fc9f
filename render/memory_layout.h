#pragma once

#include <cstdint>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

struct HolderAreas;
struct MemoryTable;

/// The input of a memory chart: a table, over `view`, at a width in pixels.
struct MemoryChart {
  const MemoryTable* table = nullptr;
  TimeSpan view;
  float width = 0, height = 0;
};

/// A part of a chart: pixels from its top left corner, y downwards.
struct MemoryRect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t what = 0;  ///< index of an area, or of a piece; or kRest
};
inline constexpr std::uint32_t kRest = 0xffff'ffff;  ///< bytes of no area, or of pieces too small to be drawn

struct MemoryDrawList {
  std::vector<MemoryRect> rects;
  std::vector<std::uint32_t> moments;  ///< per column of pixels: its moment with the most bytes
  std::int64_t top = 0;                ///< bytes at y = 0
  std::size_t drawn = 0;               ///< number of pieces with a rectangle
  std::size_t in_view = 0;             ///< pieces held at some time in view
  std::uint64_t rest_at_peak = 0;      ///< bytes in kRest at the peak in view

  void clear() {
    rects.clear();
    moments.clear();
    top = 0;
    drawn = in_view = 0;
    rest_at_peak = 0;
  }
};

/// Lays out who holds how much, stacked: areas from the bottom in their order, bytes of no area on top as kRest.
/// Each column of pixels shows its moment with the most bytes. Cost by pixels and areas, not by the size of the table.
void layout_memory_areas(const MemoryChart& chart, const HolderAreas& areas, MemoryDrawList& out);

/// Lays out every piece as a band, the oldest at the bottom; those less than a tenth of a pixel high are merged into
/// kRest, on top. At most kMostBands, the largest. Cost by pixels and bands.
void layout_memory_bands(const MemoryChart& chart, MemoryDrawList& out);
inline constexpr std::size_t kMostBands = 15'000;

/// Returns the rectangle at a point, or null.
const MemoryRect* memory_rect_at(const MemoryDrawList& list, float x, float y);

}  // namespace lacuna
