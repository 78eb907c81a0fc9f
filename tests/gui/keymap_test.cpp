#include "app/gui/application/keymap.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "app/gui/application/commands.h"

namespace lacuna {
namespace {

const Command* bound(const Keymap& keymap, std::string_view key) {
  return keymap.command_for(parse_shortcut(key));
}

bool any_has(const std::vector<std::string>& sentences, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(sentences, [&](const std::string& sentence) {
    return std::ranges::all_of(words, [&](std::string_view w) { return sentence.find(w) != std::string::npos; });
  });
}

TEST_CASE("no menu is a list of everything, and each submenu has commands that are") {
  std::set<std::string_view> inside;
  for (const Submenu& submenu : submenus()) {
    CAPTURE(submenu.title);
    CHECK(submenu.ids.size() > 1);
    for (const std::string_view id : submenu.ids) {
      CAPTURE(id);
      const Command* command = find_command(id);
      REQUIRE(command != nullptr);
      CHECK(command->in_menu);
      CHECK(command->menu == find_command(submenu.ids.front())->menu);
      CHECK(inside.insert(id).second);
      CHECK(submenu_of(*command) == &submenu);
    }
  }
  std::map<Command::Menu, std::set<const void*>> entries;
  for (const Command& command : commands()) {
    if (!command.in_menu || command.run == nullptr) continue;
    const Submenu* submenu = submenu_of(command);
    entries[command.menu].insert(submenu != nullptr ? static_cast<const void*>(submenu) : &command);
  }
  CHECK(entries[Command::Menu::kView].size() <= 16);  // 44 before there were submenus
}

TEST_CASE("the table: every command has an id of its own, every key one command") {
  const Keymap keymap;
  CHECK(keymap.warnings().empty());
  CHECK(keymap.notes().empty());  // two commands with the same default key
  std::set<std::string_view> ids;
  for (const Command& command : commands()) {
    CAPTURE(command.name);
    CHECK(!command.name.empty());
    CHECK(!command.id.empty());
    CHECK(ids.insert(command.id).second);
    CHECK(find_command(command.id) == &command);
    if (command.run == nullptr) continue;
    for (const std::string_view key : command.keys) {
      CAPTURE(key);
      if (!key.empty()) CHECK(bound(keymap, key) == &command);
    }
  }
  CHECK(find_command("") == nullptr);
  CHECK(keymap.command_for({}) == nullptr);
  CHECK(bound(keymap, "Ctrl+Alt+F9") == nullptr);
}

TEST_CASE("the movement keys are no command's") {
  const Keymap keymap;
  for (const char* key : {"W", "A", "S", "D", "Shift+W"}) CHECK(bound(keymap, key) == nullptr);
  CHECK(keymap.motion_for('w') == Motion::kZoomIn);
  CHECK(keymap.motion_for('d') == Motion::kPanRight);
  CHECK(keymap.motion_for('n') == Motion::kNone);
  CHECK(keymap.motion_for(kKeyNone) == Motion::kNone);
}

TEST_CASE("settings give a command other keys, and only those") {
  const std::vector<KeySetting> settings = {{"next_gap", {"J", "Ctrl+Alt+N"}}, {"focus", {}}};
  const Keymap keymap(settings);
  CHECK(keymap.warnings().empty());
  CHECK(bound(keymap, "J")->id == "next_gap");
  CHECK(bound(keymap, "Ctrl+Alt+N")->id == "next_gap");
  CHECK(bound(keymap, "N") == nullptr);
  CHECK(bound(keymap, "F") == nullptr);
  CHECK(keymap.key_of("next_gap") == "J");
  CHECK(keymap.key_of("focus").empty());
  CHECK(keymap.key_of("no such command").empty());
}

TEST_CASE("a default key goes to the command that the settings give it to") {
  const Keymap keymap(std::vector<KeySetting>{{"longest_gap", {"N"}}});
  CHECK(bound(keymap, "N")->id == "longest_gap");
  CHECK(keymap.warnings().empty());
  CHECK(any_has(keymap.notes(), {"N is now", "Longest gap", "Next gap"}));
}

TEST_CASE("movement keys can be moved") {
  const Keymap keymap(std::vector<KeySetting>{{"zoom_in_key", {"I"}}, {"next_gap", {"W"}}});
  CHECK(keymap.motion_for('i') == Motion::kZoomIn);
  CHECK(keymap.motion_for('w') == Motion::kNone);
  CHECK(bound(keymap, "W")->id == "next_gap");
  CHECK(keymap.warnings().empty());
  const Keymap wrong(std::vector<KeySetting>{{"pan_left_key", {"Ctrl+A"}}});
  CHECK(any_has(wrong.warnings(), {"pan_left_key", "Ctrl+A"}));
}

TEST_CASE("what makes no sense is named") {
  const Keymap keymap(std::vector<KeySetting>{{"fokus", {"F"}},
                                              {"focus", {"Ctrl+Nonsense", "F"}},
                                              {"mouse_pan", {"Space"}},
                                              {"fit", {"Ctrl+J"}},
                                              {"reload", {"Ctrl+J", "F5"}}});
  REQUIRE(keymap.warnings().size() == 4);
  CHECK(any_has(keymap.warnings(), {"no command", "fokus"}));
  CHECK(any_has(keymap.warnings(), {"focus", "no key", "Ctrl+Nonsense"}));
  CHECK(any_has(keymap.warnings(), {"mouse_pan", "mouse"}));
  CHECK(any_has(keymap.warnings(), {"Ctrl+J", "fit", "reload"}));
  CHECK(bound(keymap, "F")->id == "focus");
  CHECK(bound(keymap, "Ctrl+J")->id == "fit");
  CHECK(bound(keymap, "F5")->id == "reload");
}

TEST_CASE("the list names every command with its keys") {
  const std::string list = list_keys(Keymap(std::vector<KeySetting>{{"focus", {"J"}}}));
  CHECK(static_cast<std::size_t>(std::ranges::count(list, '\n')) == commands().size());
  CHECK(list.find("\nfocus                   J  ") != std::string::npos);
  CHECK(list.find("\nmouse_scroll            Wheel  ") != std::string::npos);
}

}  // namespace
}  // namespace lacuna
