#pragma once

#include <string>
#include <string_view>
#include <vector>

struct ImFont;

namespace lacuna {

/// The typefaces of the window. Borrowed from the current ImGui context's atlas.
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

  /// A length of the design (made for a 96 dpi screen) in layout units.
  float px(float design_px) const { return design_px * scale; }
};

/// Where a typeface was found.
struct FontFile {
  std::string path;
  int index = 0;  ///< of the face in a collection
};

enum class FontRole { kUi, kUiStrong, kMono, kSymbols };

/// Asks fontconfig for the first installed family that suits `role` (Inter, JetBrains Mono, then
/// widespread ones, then whatever the system calls sans-serif or monospace). Empty path: none.
FontFile find_font(FontRole role);

/// A typeface and those of the wanted characters that it is to draw, ascending.
struct FontForCharacters {
  FontFile file;
  std::u32string characters;
};
/// Asks fontconfig which installed typefaces have these characters: as few as will do, those first that suit the
/// user's language. What none of them has is in no answer. Fonts of coloured pictures are passed over.
std::vector<FontForCharacters> find_fonts_for(std::u32string_view characters);

/// Empties the current context's atlas and fills it. `scale`: size of the interface in layout
/// units (1 at 96 dpi); `density`: physical pixels per layout unit (2 on a Wayland screen with scale
/// 2, 1 under X11). Without any font file, ImGui's built-in bitmap font. Takes some 50 ms before
/// ImGui 1.92. Afterwards the renderer's font texture must be made anew.
///
/// `characters` (ascending; those of names, see UncommonCharacters) that the typefaces lack are taken from other
/// installed ones. A character that no typeface has is drawn as a box with its number in hexadecimal digits, so that
/// two unreadable names look different; before ImGui 1.92 those from U+10000 on share one box.
Fonts load_fonts(float scale, float density, std::u32string_view characters = {});

}  // namespace lacuna
