#pragma once

#include <cstdint>
#include <vector>

#include "model/calls/call_tree.h"
#include "render/palette.h"

namespace lacuna {

/// A frame of a flame graph. Coordinates in pixels from the graph's top left corner.
struct FlameRect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t node = 0;    ///< index in CallTree::nodes; of several, the one with the most time
  std::uint32_t folded = 1;  ///< number of adjacent frames in this rectangle that are too narrow to be drawn alone
  Rgba fill = 0;
  Rgba text = 0;           ///< label colour with enough contrast on `fill`
  bool is_around = false;  ///< an ancestor of the zoomed frame, drawn as wide as the graph
  bool is_dimmed = false;  ///< not found by the search
  bool has_label = false;  ///< wide enough for text
};

/// The input of a flame graph.
struct FlameInput {
  const Trace* trace = nullptr;  ///< of the categories
  const CallTree* tree = nullptr;
  const StringPool* names = nullptr;  ///< of the tree
  const Palette* palette = nullptr;
  const NameHues* hues = nullptr;                      ///< of `names`
  const std::vector<std::uint8_t>* matches = nullptr;  ///< by node: found by the search; null: no search
  Rgba neutral = 0;                                    ///< colour of frames without slices
  std::uint32_t zoomed = 0;                            ///< node that is drawn as wide as the graph
  float width = 0, height = 0;                         ///< of the visible area
  float scroll_y = 0;
  float row_height = 0;
};

struct FlameDrawList {
  std::vector<FlameRect> rects;  ///< row by row from the top, ascending in x, free of overlap
  float content_height = 0;      ///< height of all non-empty rows
};

/// Lays out the frames in view: the root (or the ancestors of the zoomed frame) on top, callees below.
/// A frame's width is its share of the zoomed frame; frames narrower than a pixel share a rectangle
/// with those after them, as children are sorted by width. Pure; cost O(pixels * rows), whatever the
/// size of the tree.
void layout_flames(const FlameInput& input, FlameDrawList& out);

/// Returns the rectangle at a point, or null.
const FlameRect* flame_at(const FlameDrawList& list, float x, float y);

}  // namespace lacuna
