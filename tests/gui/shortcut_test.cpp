#include "app/gui/shortcut.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "app/gui/commands.h"

namespace lacuna {
namespace {

TEST_CASE("shortcuts as text and back") {
  for (const char* text : {"N", "Shift+N", "Ctrl+O", "Ctrl+Shift+C", "?", "/", "[", "Home", "F11", "Esc",
                           "Ctrl++", "Ctrl+-", "0", "Shift+Enter", "Alt+Left"}) {
    CAPTURE(text);
    const Shortcut shortcut = parse_shortcut(text);
    CHECK(shortcut.key != kKeyNone);
    CHECK(to_text(shortcut) == text);
  }
  CHECK(parse_shortcut("n") == parse_shortcut("N"));
  CHECK(parse_shortcut("").key == kKeyNone);
  CHECK(parse_shortcut("Ctrl+").key == kKeyNone);
  CHECK(parse_shortcut("Nonsense").key == kKeyNone);
  CHECK(parse_shortcut("Ctrl++") == Shortcut{'+', kModCtrl});
}

TEST_CASE("every command has a unique id, every key at most one command") {
  std::set<std::string_view> ids;
  std::set<std::string> keys;
  for (const Command& command : commands()) {
    CAPTURE(command.name);
    CHECK(!command.name.empty());
    if (!command.id.empty()) CHECK(ids.insert(command.id).second);
    if (command.run == nullptr) continue;
    CHECK(find_command(command.id) == &command);
    for (const std::string_view key : command.keys) {
      if (key.empty()) continue;
      CAPTURE(key);
      const Shortcut shortcut = parse_shortcut(key);
      CHECK(shortcut.key != kKeyNone);
      CHECK(keys.insert(to_text(shortcut)).second);
      CHECK(command_for(shortcut) == &command);
    }
  }
  CHECK(command_for({}) == nullptr);
  CHECK(command_for(parse_shortcut("Ctrl+Alt+F9")) == nullptr);
}

TEST_CASE("the movement keys are no command's") {
  for (const char* key : {"W", "A", "S", "D"}) CHECK(command_for(parse_shortcut(key)) == nullptr);
}

}  // namespace
}  // namespace lacuna
