#include "app/gui/core/shortcut.h"

#include <string>

#include <doctest/doctest.h>

namespace lacuna {
namespace {

TEST_CASE("shortcuts as text and back") {
  for (const char* text : {"N", "Shift+N", "Ctrl+O", "Ctrl+Shift+C", "?", "/", "[", "Home", "F11", "Esc", "Ctrl++",
                           "Ctrl+-", "0", "Shift+Enter", "Alt+Left"}) {
    CAPTURE(text);
    const Shortcut shortcut = parse_shortcut(text);
    CHECK(shortcut.key != kKeyNone);
    CHECK(to_text(shortcut) == text);
  }
  CHECK(parse_shortcut("n") == parse_shortcut("N"));
  CHECK(parse_shortcut("").key == kKeyNone);
  CHECK(parse_shortcut("Ctrl+").key == kKeyNone);
  CHECK(parse_shortcut("Nonsense").key == kKeyNone);
  CHECK(parse_shortcut("ctrl+SHIFT+pageup") == parse_shortcut("Ctrl+Shift+PageUp"));
  CHECK(parse_shortcut("Space") == Shortcut{kKeySpace, 0});
  CHECK(parse_shortcut("Shift+?").key == kKeyNone);  // "?" says it already
  CHECK(parse_shortcut("Ctrl++") == Shortcut{'+', kModCtrl});
}

}  // namespace
}  // namespace lacuna
