#pragma once

#include <string_view>

#include "render/paint/imgui_compat.h"

namespace lacuna {

/// Text cut to a width. `text` is a piece of the original; `elided`: draw an ellipsis after it.
struct FittedText {
  std::string_view text;
  bool elided = false;
  float width_px = 0;  ///< of text and ellipsis
};

/// Returns the longest prefix of `text` that fits into `max_px` together with its ellipsis. Never cuts
/// inside a UTF-8 sequence. Empty if not even one character fits.
FittedText fit_text(ImFont* font, float size_px, std::string_view text, float max_px);

/// Draws `text` with its top left corner at `position`, cut to `max_px`. Returns the width drawn.
float draw_text(ImDrawList& draw, ImFont* font, float size_px, ImVec2 position, ImU32 colour, std::string_view text,
                float max_px);

float text_width(ImFont* font, float size_px, std::string_view text);

}  // namespace lacuna
