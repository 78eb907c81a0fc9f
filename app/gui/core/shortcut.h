#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

/// Keys that have a name instead of a character.
enum NamedKey : int {
  kKeyNone = 0,
  kKeySpace = 32,
  // 1 … 255: the ASCII character, letters in lower case
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
  kKeyMouseForward,  ///< the fourth and the fifth button
};

enum KeyModifier : std::uint8_t { kModCtrl = 1, kModShift = 2, kModAlt = 4 };

/// A key with modifiers: what a command is bound to and what a key press is compared with.
///
/// Letters and digits are those of the user's keyboard layout. Punctuation is the character that
/// was typed, however the layout makes it ("?" is Shift+ß on a German one), so its Shift does not
/// count, except together with Ctrl or Alt.
struct Shortcut {
  int key = kKeyNone;
  std::uint8_t modifiers = 0;

  bool operator==(const Shortcut&) const = default;
};

/// "Ctrl+Shift+P", "N", "?", "Home", whatever the case of the letters; an unknown text gives key 0. So
/// does Shift with punctuation: "?" is the key, not "Shift+/".
Shortcut parse_shortcut(std::string_view text);
std::string to_text(Shortcut shortcut);

/// Punctuation as typed: what a character event stands for.
constexpr bool is_punctuation(int key) {
  return key > ' ' && key < 127 && !(key >= 'a' && key <= 'z') && !(key >= 'A' && key <= 'Z') &&
         !(key >= '0' && key <= '9');
}

/// One press of a key (or a repeat while it is held), as the window delivers it.
struct KeyPress {
  Shortcut shortcut;
  bool is_repeat = false;
};

}  // namespace lacuna
