#pragma once

#include <string>
#include <string_view>
#include <vector>

struct ImFont;

namespace lacuna {

/// The window's fonts. Owned by the current ImGui context's atlas.
struct Fonts {
  ImFont* ui = nullptr;      ///< menus, tables, panels
  ImFont* strong = nullptr;  ///< headings
  ImFont* label = nullptr;   ///< slices, ruler, track details
  ImFont* mono = nullptr;    ///< numbers in columns, args, kernel names in full
  float ui_px = 14;
  float strong_px = 14;
  float label_px = 12;
  float mono_px = 13;
  float scale = 1;  ///< layout units per design pixel; sizes above include it

  /// Converts a length of the design (made for a 96 dpi screen) to layout units.
  float px(float design_px) const { return design_px * scale; }
};

/// The location of a font.
struct FontFile {
  std::string path;
  int index = 0;  ///< index of the face in a collection
};

enum class FontRole { kUi, kUiStrong, kMono, kSymbols };

/// Asks fontconfig for the first installed family that suits `role` (Inter, JetBrains Mono, then
/// common ones, then the system's sans-serif or monospace). Empty path: none.
FontFile find_font(FontRole role);

/// A font and the requested characters that it is to draw, ascending.
struct FontForCharacters {
  FontFile file;
  std::u32string characters;
};
/// Asks fontconfig which installed fonts have these characters: as few fonts as possible, those first that suit the
/// user's language. Characters that no font has are in no answer. Colour fonts are skipped.
std::vector<FontForCharacters> find_fonts_for(std::u32string_view characters);

/// Empties the current context's atlas and fills it. `scale`: size of the interface in layout
/// units (1 at 96 dpi); `density`: physical pixels per layout unit (2 on a Wayland screen with scale
/// 2, 1 under X11). Without any font file, ImGui's built-in bitmap font. Takes some 50 ms before
/// ImGui 1.92. Afterwards the renderer's font texture must be created anew.
///
/// `characters` (ascending; those of names, see UncommonCharacters) that the fonts lack are taken from other
/// installed ones. A character that no font has is drawn as a box with its number in hexadecimal digits, so that
/// two unreadable names look different; before ImGui 1.92 those from U+10000 on share one box.
Fonts load_fonts(float scale, float density, std::u32string_view characters = {});

}  // namespace lacuna
