#include "app/gui/platform/glfw_keys.h"

#include <array>
#include <utility>

#include <GLFW/glfw3.h>

namespace lacuna {
namespace {

constexpr std::array<std::pair<int, int>, 16> kNamed = {{
    {GLFW_KEY_ESCAPE, kKeyEscape},
    {GLFW_KEY_ENTER, kKeyEnter},
    {GLFW_KEY_KP_ENTER, kKeyEnter},
    {GLFW_KEY_TAB, kKeyTab},
    {GLFW_KEY_BACKSPACE, kKeyBackspace},
    {GLFW_KEY_DELETE, kKeyDelete},
    {GLFW_KEY_INSERT, kKeyInsert},
    {GLFW_KEY_LEFT, kKeyLeft},
    {GLFW_KEY_RIGHT, kKeyRight},
    {GLFW_KEY_UP, kKeyUp},
    {GLFW_KEY_DOWN, kKeyDown},
    {GLFW_KEY_HOME, kKeyHome},
    {GLFW_KEY_END, kKeyEnd},
    {GLFW_KEY_PAGE_UP, kKeyPageUp},
    {GLFW_KEY_PAGE_DOWN, kKeyPageDown},
    {GLFW_KEY_SPACE, kKeySpace},
}};

std::uint8_t modifiers_of(int glfw) {
  return static_cast<std::uint8_t>(((glfw & GLFW_MOD_CONTROL) != 0 ? kModCtrl : 0) |
                                   ((glfw & GLFW_MOD_SHIFT) != 0 ? kModShift : 0) |
                                   ((glfw & GLFW_MOD_ALT) != 0 ? kModAlt : 0));
}

/// The character of a key in the user's layout, unshifted; the US one where that is not ASCII.
int character_of(int key, int in_layout) {
  if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL) return kKeyNone;
  int c = in_layout != 0 ? in_layout : key;
  if (c <= ' ' || c >= 127) c = key;
  if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return c > ' ' && c < 127 ? c : kKeyNone;
}

}  // namespace

int position_of(int key) {
  for (const auto& [glfw, named] : kNamed) {
    if (key == glfw) return named;
  }
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return kKeyF1 + (key - GLFW_KEY_F1);
  if (key >= 'A' && key <= 'Z') return key - 'A' + 'a';
  return key > ' ' && key < 127 ? key : kKeyNone;
}

bool moves(int modifiers) {
  return (modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) == 0;
}

Shortcut shortcut_of_button(int button, int modifiers) {
  if (button == GLFW_MOUSE_BUTTON_4) return {kKeyMouseBack, modifiers_of(modifiers)};
  if (button == GLFW_MOUSE_BUTTON_5) return {kKeyMouseForward, modifiers_of(modifiers)};
  return {};
}

Shortcut shortcut_of_key(int key, int character, int modifiers) {
  Shortcut shortcut;
  shortcut.modifiers = modifiers_of(modifiers);
  for (const auto& [glfw, named] : kNamed) {
    if (key == glfw) shortcut.key = named;
  }
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) shortcut.key = kKeyF1 + (key - GLFW_KEY_F1);
  if (shortcut.key != kKeyNone) return shortcut;

  shortcut.key = character_of(key, character);
  if (is_punctuation(shortcut.key)) {
    if ((shortcut.modifiers & (kModCtrl | kModAlt)) == 0) return {};
    shortcut.modifiers = static_cast<std::uint8_t>(shortcut.modifiers & ~kModShift);
  }
  return shortcut.key == kKeyNone ? Shortcut{} : shortcut;
}

Shortcut shortcut_of_character(unsigned codepoint) {
  const int c = codepoint < 127 ? static_cast<int>(codepoint) : 0;
  return is_punctuation(c) ? Shortcut{c, 0} : Shortcut{};
}

}  // namespace lacuna
