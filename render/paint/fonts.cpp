#include "render/paint/fonts.h"

#include <algorithm>
#include <cmath>

#include "render/paint/imgui_compat.h"
#include "render/paint/plain_signs.h"
#include "render/paint/stand_ins.h"

#if LACUNA_IMGUI_FREETYPE
#include <imgui_freetype.h>
#endif

namespace lacuna {
namespace {

#if !LACUNA_DYNAMIC_FONTS
// What names, paths and our own texts contain. Pairs of first and last, ended by 0.
constexpr ImWchar kTextRanges[] = {0x0020, 0x00FF,  // Latin-1: middle dot, micro sign, multiplication sign
                                   0x0100, 0x017F,  // Latin Extended-A
                                   0x0370, 0x03FF,  // Greek: mu
                                   0x0400, 0x045F,  // Cyrillic
                                   0x2010, 0x2027,  // dashes, quotes, bullet, ellipsis
                                   0x2030, 0x203A,  // per mille, primes, angle quotes
                                   0x2190, 0x2199,  // arrows
                                   0x2200, 0x226B,  // minus, approximately, at least
                                   0};
constexpr ImWchar kSymbolRanges[] = {0x2190, 0x21FF, 0x2200, 0x22FF, 0x23CE, 0x23CF, 0x25A0,
                                     0x25FF, 0x26A0, 0x26A1, 0x2713, 0x2717, 0};
#endif

void use_freetype(ImFontAtlas& atlas) {
#if LACUNA_IMGUI_FREETYPE
#if LACUNA_DYNAMIC_FONTS
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
  atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
#else
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
#else
  (void)atlas;
#endif
}

class AtlasFiller {
 public:
  AtlasFiller(ImFontAtlas& atlas, float density, std::u32string_view characters)
      : atlas_(atlas), density_(density), others_(find_fonts_for(characters)), missing_(characters) {
    for (const FontForCharacters& other : others_)
      std::erase_if(missing_, [&](char32_t c) { return other.characters.find(c) != std::u32string::npos; });
#if !LACUNA_DYNAMIC_FONTS
    for (const FontForCharacters& other : others_) {
      // Each character is a range of its own; they must stay where they are until the atlas is built.
      std::vector<ImWchar>& ranges = ranges_.emplace_back();
      for (const char32_t c : other.characters)
        if (c < 0xFFFD) ranges.insert(ranges.end(), 2, static_cast<ImWchar>(c));
      ranges.push_back(0);
    }
#endif
  }

  /// `size` in layout units.
  ImFont* add(const FontFile& file, const FontFile& symbols, float size) {
    ImFontConfig config;
    config.OversampleH = 1;
    config.OversampleV = 1;
    config.PixelSnapH = true;
    config.FontNo = file.index;
    ImFont* font = nullptr;
#if LACUNA_DYNAMIC_FONTS
    const ImWchar* text_ranges = nullptr;
    const ImWchar* symbol_ranges = nullptr;
    const float build_size = size;
    (void)density_;
#else
    const ImWchar* text_ranges = kTextRanges;
    const ImWchar* symbol_ranges = kSymbolRanges;
    const float build_size = std::round(size * density_);
#endif
    if (!file.path.empty()) {
      font = atlas_.AddFontFromFileTTF(file.path.c_str(), build_size, &config, text_ranges);
    }
    if (font == nullptr) {
      ImFontConfig fallback;
      fallback.SizePixels = build_size;
      return atlas_.AddFontDefault(&fallback);
    }
    if (!symbols.path.empty() && symbols.path != file.path) {
      config.MergeMode = true;
      config.FontNo = symbols.index;
      atlas_.AddFontFromFileTTF(symbols.path.c_str(), build_size, &config, symbol_ranges);
    }
    config.MergeMode = true;
    for (std::size_t i = 0; i < others_.size(); ++i) {
      const ImWchar* ranges = nullptr;
#if !LACUNA_DYNAMIC_FONTS
      ranges = ranges_[i].data();
      if (*ranges == 0) continue;
#endif
      config.FontNo = others_[i].file.index;
      atlas_.AddFontFromFileTTF(others_[i].file.path.c_str(), build_size, &config, ranges);
    }
    stand_ins_.add(atlas_, font, build_size, missing_);
    return font;
  }
  /// After the atlas was built.
  void draw_stand_ins() const {
    stand_ins_.draw(atlas_);
  }

 private:
  ImFontAtlas& atlas_;
  float density_;
  std::vector<FontForCharacters> others_;
  std::u32string missing_;  ///< characters that no typeface has
  StandIns stand_ins_;
#if !LACUNA_DYNAMIC_FONTS
  std::vector<std::vector<ImWchar>> ranges_;  ///< of others_
#endif
};

}  // namespace

Fonts load_fonts(float scale, float density, std::u32string_view characters) {
  ImGuiIO& io = ImGui::GetIO();
  ImFontAtlas& atlas = *io.Fonts;
#if LACUNA_DYNAMIC_FONTS
  io.FontDefault = nullptr;
  atlas.ClearFonts();
#else
  atlas.Clear();
  io.FontGlobalScale = 1.0f / density;
#endif
  use_freetype(atlas);

  Fonts fonts;
  fonts.scale = scale;
  fonts.ui_px = std::round(14 * scale);
  fonts.strong_px = fonts.ui_px;
  fonts.label_px = std::round(12 * scale);
  fonts.mono_px = std::round(12.5f * scale);

  const FontFile ui = find_font(FontRole::kUi);
  const FontFile strong = find_font(FontRole::kUiStrong);
  const FontFile mono = find_font(FontRole::kMono);
  const FontFile symbols = find_font(FontRole::kSymbols);
  AtlasFiller filler(atlas, density, characters);
  fonts.ui = filler.add(ui, symbols, fonts.ui_px);
  fonts.strong = filler.add(strong, symbols, fonts.strong_px);
  fonts.label = filler.add(ui, symbols, fonts.label_px);
  fonts.mono = filler.add(mono, symbols, fonts.mono_px);
#if !LACUNA_DYNAMIC_FONTS
  atlas.Build();
  for (ImFont* font : atlas.Fonts) stand_in_for_signs(*font);
  filler.draw_stand_ins();
#endif
  return fonts;
}

}  // namespace lacuna
