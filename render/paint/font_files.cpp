// Which font files to use: the part that talks to fontconfig.

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fontconfig/fontconfig.h>
#include <strings.h>

#include "render/paint/fonts.h"

namespace lacuna {
namespace {

// In order of preference. All have Latin, Greek and the punctuation that the window uses.
constexpr std::array kUiFamilies = {"Inter",     "Inter Variable", "Roboto",          "Noto Sans",
                                    "Open Sans", "Source Sans 3",  "Cantarell",       "Ubuntu",
                                    "Segoe UI",  "DejaVu Sans",    "Liberation Sans", "sans-serif"};
constexpr std::array kMonoFamilies = {
    "JetBrains Mono", "Cascadia Mono", "Source Code Pro",  "Fira Mono",       "Hack",
    "Noto Sans Mono", "Ubuntu Mono",   "DejaVu Sans Mono", "Liberation Mono", "monospace"};
// Wide coverage, for characters that the others lack.
constexpr std::array kSymbolFamilies = {"DejaVu Sans", "Noto Sans Symbols2", "Noto Sans Symbols", "sans-serif"};

/// The file that fontconfig picks for `family`; empty if that is another family (unless generic).
FontFile match(FcConfig* config, const char* family, int weight) {
  FontFile file;
  FcPattern* pattern = FcPatternCreate();
  FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern, FC_WEIGHT, weight);
  FcPatternAddInteger(pattern, FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(config, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  FcResult result = FcResultNoMatch;
  if (FcPattern* found = FcFontMatch(config, pattern, &result)) {
    FcChar8* path = nullptr;
    int index = 0;
    const bool is_generic = family[0] >= 'a' && family[0] <= 'z';
    bool is_family = is_generic;
    FcChar8* name = nullptr;
    for (int i = 0; FcPatternGetString(found, FC_FAMILY, i, &name) == FcResultMatch; ++i) {
      is_family = is_family || strcasecmp(reinterpret_cast<const char*>(name), family) == 0;
    }
    if (is_family && FcPatternGetString(found, FC_FILE, 0, &path) == FcResultMatch) {
      FcPatternGetInteger(found, FC_INDEX, 0, &index);
      // The high half selects an instance of a variable font, which not every rasteriser knows.
      file = {reinterpret_cast<const char*>(path), index & 0xffff};
    }
    FcPatternDestroy(found);
  }
  FcPatternDestroy(pattern);
  return file;
}

FontFile first_of(FcConfig* config, std::span<const char* const> families, int weight) {
  for (const char* family : families) {
    FontFile file = match(config, family, weight);
    if (!file.path.empty()) return file;
  }
  return {};
}

}  // namespace

std::vector<FontForCharacters> find_fonts_for(std::u32string_view characters) {
  std::vector<FontForCharacters> fonts;
  if (characters.empty()) return fonts;
  FcConfig* config = FcInitLoadConfigAndFonts();
  if (config == nullptr) return fonts;
  FcCharSet* wanted = FcCharSetCreate();
  for (const char32_t c : characters) FcCharSetAddChar(wanted, c);
  FcPattern* pattern = FcPatternCreate();
  FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
  FcPatternAddCharSet(pattern, FC_CHARSET, wanted);
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(config, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  FcResult result = FcResultNoMatch;
  FcFontSet* sorted = FcFontSort(config, pattern, FcTrue, nullptr, &result);
  std::u32string missing(characters);
  for (int i = 0; sorted != nullptr && i < sorted->nfont && !missing.empty(); ++i) {
    FcChar8* path = nullptr;
    FcCharSet* has = nullptr;
    FcBool is_scalable = FcFalse, has_colour = FcFalse;
    int index = 0;
    FcPatternGetBool(sorted->fonts[i], FC_SCALABLE, 0, &is_scalable);
    FcPatternGetBool(sorted->fonts[i], FC_COLOR, 0, &has_colour);
    if (is_scalable == FcFalse || has_colour != FcFalse ||
        FcPatternGetString(sorted->fonts[i], FC_FILE, 0, &path) != FcResultMatch ||
        FcPatternGetCharSet(sorted->fonts[i], FC_CHARSET, 0, &has) != FcResultMatch)
      continue;
    FcPatternGetInteger(sorted->fonts[i], FC_INDEX, 0, &index);
    FontForCharacters font{{reinterpret_cast<const char*>(path), index & 0xffff}, {}};
    std::u32string rest;
    for (const char32_t c : missing) (FcCharSetHasChar(has, c) == FcTrue ? font.characters : rest) += c;
    missing = std::move(rest);
    if (!font.characters.empty()) fonts.push_back(std::move(font));
  }
  if (sorted != nullptr) FcFontSetDestroy(sorted);
  FcPatternDestroy(pattern);
  FcCharSetDestroy(wanted);
  FcConfigDestroy(config);
  return fonts;
}

FontFile find_font(FontRole role) {
  // The process-wide configuration; initialising it again costs nothing.
  FcConfig* config = FcInitLoadConfigAndFonts();
  if (config == nullptr) return {};
  FontFile file;
  switch (role) {
    case FontRole::kUi:
      file = first_of(config, kUiFamilies, FC_WEIGHT_REGULAR);
      break;
    case FontRole::kUiStrong:
      file = first_of(config, kUiFamilies, FC_WEIGHT_DEMIBOLD);
      break;
    case FontRole::kMono:
      file = first_of(config, kMonoFamilies, FC_WEIGHT_REGULAR);
      break;
    case FontRole::kSymbols:
      file = first_of(config, kSymbolFamilies, FC_WEIGHT_REGULAR);
      break;
  }
  FcConfigDestroy(config);
  return file;
}

}  // namespace lacuna
