#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

/// Keys that have a name and no character.
enum NamedKey : int {
  kKeyNone = 0,
  kKeySpace = 32,
  // 1 … 255: the ASCII character, in lower case for letters
  kKeyEscape = 256,
  kKeyEnter,
  kKeyTab,
  kKeyBackspace,
  kKeyDelete,
  kKeyInsert,
  kKeyLeft,
  kKeyRight,
  kKeyUp,
  kKeyDown,
  kKeyHome,
  kKeyEnd,
  kKeyPageUp,
  kKeyPageDown,
  kKeyF1,
  kKeyF2,
  kKeyF3,
  kKeyF4,
  kKeyF5,
  kKeyF6,
  kKeyF7,
  kKeyF8,
  kKeyF9,
  kKeyF10,
  kKeyF11,
  kKeyF12,
  kKeyMouseBack,
  kKeyMouseForward,  ///< the fourth and the fifth mouse button
};

enum KeyModifier : std::uint8_t { kModCtrl = 1, kModShift = 2, kModAlt = 4 };

/// A key with modifiers: the binding of a command, compared with each key press.
///
/// Letters and digits are those of the user's keyboard layout. Punctuation is the character typed,
/// whichever keys the layout needs for it ("?" is Shift+ß on a German one), so its Shift is ignored
/// except together with Ctrl or Alt.
struct Shortcut {
  int key = kKeyNone;
  std::uint8_t modifiers = 0;

  bool operator==(const Shortcut&) const = default;
};

/// Parses "Ctrl+Shift+P", "N", "?", "Home", ignoring the case of letters. Returns key 0 for an unknown text, and for
/// Shift with punctuation: write "?", not "Shift+/".
Shortcut parse_shortcut(std::string_view text);
std::string to_text(Shortcut shortcut);

/// Whether the key is punctuation, which character events deliver.
constexpr bool is_punctuation(int key) {
  return key > ' ' && key < 127 && !(key >= 'a' && key <= 'z') && !(key >= 'A' && key <= 'Z') &&
         !(key >= '0' && key <= '9');
}

/// One press (or repeat) of a key, as the window delivers it.
struct KeyPress {
  Shortcut shortcut;
  bool is_repeat = false;
};

}  // namespace lacuna
