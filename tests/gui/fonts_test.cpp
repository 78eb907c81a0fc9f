// Typefaces for names in any script, and what stands for characters that none of them has.

#include "render/paint/fonts.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "render/characters.h"
#include "render/paint/imgui_compat.h"
#include "render/paint/plain_signs.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

struct FontContext {
  FontContext() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
  }
  FontContext(const FontContext&) = delete;
  FontContext& operator=(const FontContext&) = delete;
  ~FontContext() { ImGui::DestroyContext(); }
};

std::u32string uncommon(std::string_view text) {
  UncommonCharacters characters;
  characters.add(text);
  return characters.sorted();
}

TEST_CASE("characters that typefaces may lack are found, each once") {
  CHECK(uncommon("aten::mm, na\u00efve \u043f\u0440\u043e\u0446\u0435\u0441\u0441 \u03bc \u2026").empty());
  CHECK(uncommon("\u8bad\u7ec3 \u8bad") == U"\u7ec3\u8bad");
  CHECK(uncommon("plain ASCII of some length before \u05d0\u0628\uac00\U0001F680") == U"\u05d0\u0628\uac00\U0001F680");
  CHECK(uncommon("\xff\xe8\xae broken \xe8").empty());
  CHECK(uncommon("joined \u200d and \ufe0f").empty());
}

#if !LACUNA_DYNAMIC_FONTS
TEST_CASE("without a typeface ASCII stands for signs of our own texts, which others keep") {
  const FontContext context;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont& font = *atlas.AddFontDefault();
  atlas.Build();
  REQUIRE(font.FindGlyphNoFallback(0x2026) == nullptr);
  const float questions = font.FindGlyph('?')->U0;
  stand_in_for_signs(font);
  CHECK(font.FindGlyph(0x2026)->U0 == font.FindGlyph('.')->U0);
  CHECK(font.FindGlyph(0x2013)->U0 == font.FindGlyph('-')->U0);
  CHECK(font.FindGlyph(0x2026)->U0 != questions);
  // A name that is cut ends in three of them, or it looks like another one.
  const FittedText cut = fit_text(&font, 13, "a_name_that_is_cut", 60);
  REQUIRE(cut.elided);
  CHECK(cut.width_px == text_width(&font, 13, cut.text) + text_width(&font, 13, "..."));
  if (find_font(FontRole::kUi).path.empty()) return;
  const Fonts fonts = load_fonts(1, 1, {});
  CHECK(fonts.ui->FindGlyph(0x2026)->U0 != fonts.ui->FindGlyph('.')->U0);
}
#endif

TEST_CASE("names in any script have glyphs that can be told apart") {
  if (find_font(FontRole::kUi).path.empty()) {
    MESSAGE("skipped: no font is installed");
    return;
  }
  const FontContext context;
  // Chinese, Japanese, Korean, Arabic, Hebrew, and what Unicode promises never to be a character.
  const std::u32string characters = U"\u05d0\u0628\u30c7\u7ec3\u8bad\uac00\ufdd0";
  const Fonts fonts = load_fonts(1, 1, characters);
#if LACUNA_DYNAMIC_FONTS
  CHECK(has_glyph(fonts.ui, 'a'));
#else
  for (const ImFont* font : {fonts.ui, fonts.strong, fonts.label, fonts.mono}) {
    std::set<std::pair<float, float> > places;
    for (const char32_t c : characters) {
      CAPTURE(static_cast<unsigned>(c));
      const ImFontGlyph* glyph = font->FindGlyphNoFallback(static_cast<ImWchar>(c));
      REQUIRE(glyph != nullptr);
      CHECK(glyph->Visible != 0);
      CHECK(glyph->AdvanceX > 4);
      places.insert({glyph->U0, glyph->V0});
    }
    CHECK(places.size() == characters.size());
  }
  // The box of what no font has is filled: frame and digits.
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  const ImFontGlyph* box = fonts.ui->FindGlyphNoFallback(0xfdd0);
  REQUIRE(box != nullptr);
  int lit = 0;
  const auto pixel = [](float part, int size) { return static_cast<int>(part * static_cast<float>(size)); };
  for (int y = pixel(box->V0, height); y < pixel(box->V1, height); ++y)
    for (int x = pixel(box->U0, width); x < pixel(box->U1, width); ++x) lit += pixels[y * width + x] == 255 ? 1 : 0;
  CHECK(lit > 20);
#endif
}

}  // namespace
}  // namespace lacuna
