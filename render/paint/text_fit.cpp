#include "render/paint/text_fit.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace lacuna {
namespace {

/// Three full stops where the font is ImGui's built-in one.
std::string_view ellipsis_of(const ImFont* font) {
  bool has_sign = has_glyph(font, 0x2026);
#if !LACUNA_DYNAMIC_FONTS
  if (has_sign) has_sign = font->FindGlyph(0x2026) != font->FindGlyph('.');  // which would stand for it (plain_signs.h)
#endif
  return has_sign ? std::string_view("\xE2\x80\xA6") : std::string_view("...");
}

}  // namespace

float text_width(ImFont* font, float size_px, std::string_view text) {
  if (text.empty()) return 0;
  return font->CalcTextSizeA(size_px, FLT_MAX, 0.0f, text.data(), text.data() + text.size()).x;
}

FittedText fit_text(ImFont* font, float size_px, std::string_view text, float max_px) {
  if (max_px <= 0 || text.empty()) return {};
  // One line only: what follows a line break is cut off like what does not fit.
  const std::size_t line_end = text.find_first_of("\n\r");
  const bool has_more_lines = line_end != std::string_view::npos;
  text = text.substr(0, line_end);
  // Names can have thousands of characters; no font is narrower than a sixth of its size on average.
  const auto most = static_cast<std::size_t>(max_px / size_px * 6.0f) + 8;
  const std::string_view candidate = text.substr(0, most);
  const char* rest = nullptr;
  const char* end = candidate.data() + candidate.size();
  const float width = font->CalcTextSizeA(size_px, max_px, 0.0f, candidate.data(), end, &rest).x;
  if (rest == end && candidate.size() == text.size() && !has_more_lines) {
    return {text, false, width};
  }

  const float ellipsis_px = text_width(font, size_px, ellipsis_of(font));
  const float room = max_px - ellipsis_px;
  if (room <= 0) return {};
  const float cut_px = font->CalcTextSizeA(size_px, room, 0.0f, candidate.data(), end, &rest).x;
  std::string_view kept = candidate.substr(0, static_cast<std::size_t>(rest - candidate.data()));
  while (!kept.empty() && kept.back() == ' ') kept.remove_suffix(1);
  if (kept.empty()) return {};
  return {kept, true, cut_px + ellipsis_px};
}

float draw_text(ImDrawList& draw, ImFont* font, float size_px, ImVec2 position, ImU32 colour, std::string_view text,
                float max_px) {
  const FittedText fitted = fit_text(font, size_px, text, max_px);
  if (fitted.text.empty()) return 0;
  const ImVec2 corner(std::floor(position.x), std::floor(position.y));
  const char* begin = fitted.text.data();
  const char* end = begin + fitted.text.size();
  draw.AddText(font, size_px, corner, colour, begin, end);
  if (fitted.elided) {
    const float x = corner.x + text_width(font, size_px, fitted.text);
    const std::string_view ellipsis = ellipsis_of(font);
    draw.AddText(font, size_px, ImVec2(x, corner.y), colour, ellipsis.data(), ellipsis.data() + ellipsis.size());
  }
  return fitted.width_px;
}

}  // namespace lacuna
