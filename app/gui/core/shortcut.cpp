#include "app/gui/core/shortcut.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 29> kNames = {{
    {kKeyEscape, "Esc"},
    {kKeyEnter, "Enter"},
    {kKeyTab, "Tab"},
    {kKeyBackspace, "Backspace"},
    {kKeyDelete, "Delete"},
    {kKeyInsert, "Insert"},
    {kKeyLeft, "Left"},
    {kKeyRight, "Right"},
    {kKeyUp, "Up"},
    {kKeyDown, "Down"},
    {kKeyHome, "Home"},
    {kKeyEnd, "End"},
    {kKeyPageUp, "PageUp"},
    {kKeyPageDown, "PageDown"},
    {kKeyF1, "F1"},
    {kKeyF2, "F2"},
    {kKeyF3, "F3"},
    {kKeyF4, "F4"},
    {kKeyF5, "F5"},
    {kKeyF6, "F6"},
    {kKeyF7, "F7"},
    {kKeyF8, "F8"},
    {kKeyF9, "F9"},
    {kKeyF10, "F10"},
    {kKeyF11, "F11"},
    {kKeyF12, "F12"},
    {kKeySpace, "Space"},
    {kKeyMouseBack, "MouseBack"},
    {kKeyMouseForward, "MouseForward"},
}};
constexpr std::array<std::pair<std::uint8_t, std::string_view>, 3> kModifiers = {
    {{kModCtrl, "Ctrl+"}, {kModShift, "Shift+"}, {kModAlt, "Alt+"}}};

}  // namespace

Shortcut parse_shortcut(std::string_view text) {
  Shortcut shortcut;
  for (bool found = true; found;) {
    found = false;
    for (const auto& [bit, name] : kModifiers) {
      if (text.size() > name.size() && equal_ignoring_case(text.substr(0, name.size()), name)) {
        shortcut.modifiers = static_cast<std::uint8_t>(shortcut.modifiers | bit);
        text.remove_prefix(name.size());
        found = true;
      }
    }
  }
  for (const auto& [key, name] : kNames) {
    if (equal_ignoring_case(text, name)) shortcut.key = key;
  }
  if (text.size() == 1 && text[0] > ' ' && text[0] < 127) shortcut.key = to_lower(text[0]);
  // The character says already whether Shift was held.
  if (is_punctuation(shortcut.key) && (shortcut.modifiers & kModShift) != 0) return {};
  return shortcut.key == kKeyNone ? Shortcut{} : shortcut;
}

std::string to_text(Shortcut shortcut) {
  std::string text;
  for (const auto& [bit, name] : kModifiers) {
    if ((shortcut.modifiers & bit) != 0) text += name;
  }
  for (const auto& [key, name] : kNames) {
    if (shortcut.key == key) return text.append(name);
  }
  if (shortcut.key <= ' ' || shortcut.key >= 127) return {};
  const auto c = static_cast<char>(shortcut.key);
  text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace lacuna
