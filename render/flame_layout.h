#pragma once

#include <cstdint>
#include <vector>

#include "model/calls/call_tree.h"
#include "render/palette.h"

namespace lacuna {

/// A frame of a flame graph. Coordinates in pixels from the graph's top left corner.
struct FlameRect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t node = 0;    ///< index in CallTree::nodes; of several the one with most time
  std::uint32_t folded = 1;  ///< number of frames in this rectangle, side by side, too narrow to be drawn alone
  Rgba fill = 0;
  Rgba text = 0;           ///< label colour with enough contrast on `fill`
  bool is_around = false;  ///< lies around what is zoomed to, drawn as wide as the graph
  bool is_dimmed = false;  ///< the search did not find it
  bool has_label = false;  ///< wide enough for text
};

/// What a flame graph shows, and of what.
struct FlameInput {
  const Trace* trace = nullptr;
  const CallTree* tree = nullptr;
  const Palette* palette = nullptr;
  const NameHues* hues = nullptr;                      ///< of the trace's names
  const std::vector<std::uint8_t>* matches = nullptr;  ///< by node: found by the search; null: nothing is searched
  Rgba neutral = 0;                                    ///< of frames that stand for no slices
  std::uint32_t zoomed = 0;                            ///< as wide as the graph
  float width = 0, height = 0;                         ///< of what is in view
  float scroll_y = 0;
  float row_height = 0;
};

struct FlameDrawList {
  std::vector<FlameRect> rects;  ///< row by row from the top, ascending in x, free of overlap
  float content_height = 0;      ///< of all rows that have anything to show
};

/// Lays out the frames in view: the root (or what lies around the frame zoomed to) on top, callees below.
/// A frame is as wide as its part of the frame zoomed to; frames narrower than a pixel share a rectangle
/// with those that follow them, for children come widest first. Pure; cost O(pixels * rows), whatever the
/// size of the tree.
void layout_flames(const FlameInput& input, FlameDrawList& out);

/// The rectangle at a point, or null.
const FlameRect* flame_at(const FlameDrawList& list, float x, float y);

}  // namespace lacuna
