#pragma once

#include <span>
#include <vector>

#include <imgui.h>

#include "app/gui/platform/damage.h"

namespace lacuna {

/// Rewrites ImGui's draw lists so that a software renderer (Mesa's llvmpipe) draws them
/// quickly. The picture stays the same.
///
/// What is slow in software rendering, and the remedy:
/// - A pixel with a texture lookup costs about ten times one without, and ImGui draws
///   everything with its font texture: runs of triangles with a plain colour get their own
///   commands, the opaque ones without blending. Text is reordered behind fills that it does not
///   touch, so that there are few runs.
/// - Two triangles that form a rectangle are drawn as one in a third of the time, but only in draws whose
///   number of indices is a multiple of 6 and below 1024: each command gets 170 rectangles at most,
///   and single triangles are padded with an empty one.
class SoftwareDrawing {
 public:
  /// Callbacks that change the renderer's state between commands. A list begins and ends in the textured state.
  struct Callbacks {
    ImDrawCallback opaque = nullptr;    ///< no texture, no blending
    ImDrawCallback plain = nullptr;     ///< no texture
    ImDrawCallback textured = nullptr;  ///< as ImGui's backend draws
  };

  explicit SoftwareDrawing(const Callbacks& callbacks) : callbacks_(callbacks) {}

  /// `white`: the texture coordinate of plain triangles.
  void rewrite(ImDrawList& list, ImVec2 white);
  /// Rewrites only what is drawn in `parts` (disjoint) of a picture of this height in pixels.
  void rewrite(ImDrawList& list, ImVec2 white, std::span<const PaintedRect> parts, int height);

 private:
  enum class Kind : unsigned char { kOpaque, kPlain, kTextured };
  struct Box {
    float x0, y0, x1, y1;
    bool overlaps(const Box& o) const { return x0 < o.x1 && o.x0 < x1 && y0 < o.y1 && o.y0 < y1; }
  };
  /// Two triangles that share a side, or one.
  struct Shape {
    ImDrawIdx indices[6];
    Kind kind;
    float area;
  };

  void rewrite(const ImDrawList& list, const ImDrawCmd& command, ImVec2 white, const Box& part);
  void add(const Shape& shape, const Box& box, const ImDrawCmd& command);
  void flush(const ImDrawCmd& command);
  void emit(const Shape* first, const Shape* last, Kind kind, const ImDrawCmd& command);
  void use(Kind kind);

  Callbacks callbacks_;
  Kind state_ = Kind::kTextured;
  std::vector<Shape> fills_;  ///< fills not yet written, which go before texts_
  std::vector<Shape> texts_;
  std::vector<Box> covered_;  ///< areas of texts_
  ImVector<ImDrawIdx> indices_;
  ImVector<ImDrawCmd> commands_;
};

}  // namespace lacuna
