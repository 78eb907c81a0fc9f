#pragma once

#include <array>
#include <span>
#include <string_view>

#include "app/gui/app_state.h"
#include "app/gui/keyboard_motion.h"
#include "app/gui/shortcut.h"

namespace lacuna {

/// One thing that a user can do. The table of commands draws the menus and the shortcut sheet and
/// handles the keys, so that none of the three can forget or contradict another.
struct Command {
  enum class Menu { kFile, kEdit, kView, kGo, kHelp, kMouse };

  std::string_view id;                  ///< stable: for tests and, later, for key bindings of users
  Menu menu;
  std::string_view name;                ///< in menu and sheet
  std::array<std::string_view, 2> keys; ///< default bindings as parse_shortcut reads them
  void (*run)(App&) = nullptr;          ///< null: described only (held keys and mouse gestures)
  bool (*is_enabled)(const App&) = nullptr;  ///< null = always
  bool (*is_checked)(const App&) = nullptr;  ///< null = not a switch
  bool repeats = false;                 ///< runs again while the key is held
  bool in_menu = true;                  ///< also an entry of the menu, not only of the sheet
  bool separator_before = false;
};

std::span<const Command> commands();
const Command* find_command(std::string_view id);
/// The command bound to a key, or null.
const Command* command_for(Shortcut shortcut);
std::string_view to_text(Command::Menu menu);

/// Runs the command bound to `press`. False when there is none or it is not enabled.
bool run_key(App& app, const KeyPress& press);
bool run_command(App& app, const Command& command);

}  // namespace lacuna
