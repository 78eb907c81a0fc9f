#include "render/paint/plain_signs.h"

#include <utility>

namespace lacuna {

void stand_in_for_signs(ImFont& font) {
  constexpr std::pair<ImWchar, ImWchar> kSigns[] = {{0x2010, '-'}, {0x2013, '-'}, {0x2014, '-'}, {0x2022, '*'},
                                                    {0x2026, '.'}, {0x2192, '>'}, {0x2212, '-'}};
  for (const auto& [sign, plain] : kSigns)
    if (font.FindGlyphNoFallback(sign) == nullptr) font.AddRemapChar(sign, plain);
}

}  // namespace lacuna
