#pragma once

#include <string>

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

/// Empties the current context's atlas and fills it. `scale`: size of the interface in layout
/// units (1 at 96 dpi); `density`: physical pixels per layout unit (2 on a Wayland screen with scale
/// 2, 1 under X11). Without any font file, ImGui's built-in bitmap font. Takes some 50 ms before
/// ImGui 1.92. Afterwards the renderer's font texture must be made anew.
Fonts load_fonts(float scale, float density);

}  // namespace lacuna
