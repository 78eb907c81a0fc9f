#include "render/paint/stand_ins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace lacuna {

#if LACUNA_DYNAMIC_FONTS

void StandIns::add(ImFontAtlas&, ImFont*, float, std::u32string_view) {}
void StandIns::draw(ImFontAtlas&) const {}

#else

namespace {

// Sixteen digits of 3 x 5 dots; each row three bits, the left one highest.
constexpr std::array<std::array<std::uint8_t, 5>, 16> kDigits = {{{7, 5, 5, 5, 7},
                                                                  {2, 6, 2, 2, 7},
                                                                  {7, 1, 7, 4, 7},
                                                                  {7, 1, 3, 1, 7},
                                                                  {5, 5, 7, 1, 1},
                                                                  {7, 4, 7, 1, 7},
                                                                  {7, 4, 7, 5, 7},
                                                                  {7, 1, 1, 2, 2},
                                                                  {7, 5, 7, 5, 7},
                                                                  {7, 5, 7, 1, 7},
                                                                  {2, 5, 7, 5, 5},
                                                                  {6, 5, 6, 5, 6},
                                                                  {3, 4, 4, 4, 3},
                                                                  {6, 5, 5, 5, 6},
                                                                  {7, 4, 6, 4, 7},
                                                                  {7, 4, 6, 4, 4}}};
constexpr int kBoxWide = 11, kBoxHigh = 13;  // dots, with the frame; a dot is left free on either side
constexpr unsigned kNoCharacter = 0xFFFD;    // stands for all beyond ImWchar

}  // namespace

void StandIns::add(ImFontAtlas& atlas, ImFont* font, float size_px, std::u32string_view characters) {
  const int scale = std::max(1, static_cast<int>(std::floor(size_px / 12)));
  const auto box = [&](unsigned character) {
    const int rect = atlas.AddCustomRectFontGlyph(
        font, static_cast<ImWchar>(character), kBoxWide * scale, kBoxHigh * scale,
        static_cast<float>((kBoxWide + 1) * scale),
        {0, std::max(0.0f, std::round((size_px - static_cast<float>(kBoxHigh * scale)) * 0.5f) + 1)});
    boxes_.push_back({rect, character, scale});
  };
  for (const char32_t c : characters)
    if (c < kNoCharacter) box(c);
  box(kNoCharacter);
}

void StandIns::draw(ImFontAtlas& atlas) const {
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  if (boxes_.empty()) return;
  atlas.GetTexDataAsAlpha8(&pixels, &width, &height);
  if (pixels == nullptr) return;
  for (const Box& box : boxes_) {
    const ImFontAtlasCustomRect& rect = *atlas.GetCustomRectByIndex(box.rect);
    if (!rect.IsPacked()) continue;
    const auto dot = [&](int x, int y, unsigned char alpha) {
      for (int dy = 0; dy < box.scale; ++dy)
        for (int dx = 0; dx < box.scale; ++dx)
          pixels[(rect.Y + y * box.scale + dy) * width + rect.X + x * box.scale + dx] = alpha;
    };
    for (int y = 0; y < kBoxHigh; ++y)
      for (int x = 0; x < kBoxWide; ++x) {
        const bool is_frame = x == 0 || y == 0 || x == kBoxWide - 1 || y == kBoxHigh - 1;
        dot(x, y, is_frame ? 120 : 0);
      }
    // U+FFFD stands for many: it keeps an empty box.
    if (box.character == kNoCharacter) continue;
    for (int place = 0; place < 4; ++place) {
      const unsigned digit = (box.character >> (12 - 4 * place)) & 0xfu;
      const int left = 2 + place % 2 * 4, top = 1 + place / 2 * 6;
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 3; ++x)
          if ((kDigits[digit][static_cast<std::size_t>(y)] >> (2 - x) & 1) != 0) dot(left + x, top + y, 255);
    }
  }
}

#endif

}  // namespace lacuna
