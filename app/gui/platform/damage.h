#pragma once

#include <cstdint>
#include <vector>

#include <imgui.h>

namespace lacuna {

/// Pixels [x0, x1) x [y0, y1), y down.
struct PaintedRect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  bool empty() const { return x0 >= x1 || y0 >= y1; }
  PaintedRect intersect(const PaintedRect& o) const;
  bool operator==(const PaintedRect&) const = default;
};

/// Returns the pixels that ImGui's OpenGL backend lets a command draw on; `clip` may have fractions.
PaintedRect scissor_of(const ImVec4& clip, int height);

/// Finds the parts of the picture that differ from the last frame, so that a software renderer paints only those.
/// Compares hashes of everything that touches each tile of the screen. Owns no draw data. UI thread.
class DamageFinder {
 public:
  /// Returns disjoint rectangles, at most kMostRects; none when the picture is unchanged. Everything counts
  /// as different at first, and when the size or the background changed. One unit of the draw data must be one
  /// pixel.
  const std::vector<PaintedRect>& find(const ImDrawData& data, std::uint32_t background, int width, int height);
  /// Forgets the last frame: call it when the screen may have been overdrawn.
  void forget() { tiles_.clear(); }

  static constexpr int kTilePx = 32;
  static constexpr std::size_t kMostRects = 6;

 private:
  void add(const ImDrawList& list, const ImDrawCmd& command);
  void merge_tiles(const std::vector<std::uint64_t>& before);

  int width_ = 0, height_ = 0, columns_ = 0, rows_ = 0;
  std::vector<std::uint64_t> tiles_, fresh_;  // hashes, by row, then by column
  std::vector<PaintedRect> rects_;
};

}  // namespace lacuna
