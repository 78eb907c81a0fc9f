#pragma once

#include <string_view>
#include <vector>

#include "render/paint/imgui_compat.h"

namespace lacuna {

/// Glyphs for characters that no installed font has: a box with the character's number in hexadecimal digits, two
/// rows of two (of three beyond U+FFFF). Call add() before the atlas is built, draw() after it. Nothing with ImGui 1.92
/// and newer, whose atlas rasterises on its own.
class StandIns {
 public:
  /// Adds to `font`, of `size_px` physical pixels, a box for each of `characters` and for U+FFFD that it lacks.
  void add(ImFontAtlas& atlas, ImFont* font, float size_px, std::u32string_view characters);
  void draw(ImFontAtlas& atlas) const;

 private:
  struct Box {
    int rect = 0;  ///< index in the atlas
    unsigned character = 0;
    int scale = 1;
  };
  std::vector<Box> boxes_;
};

}  // namespace lacuna
