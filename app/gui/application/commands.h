#pragma once

#include <array>
#include <span>
#include <string_view>

#include "app/gui/application/app_state.h"
#include "app/gui/core/keyboard_motion.h"
#include "app/gui/core/shortcut.h"

namespace lacuna {

/// One thing that a user can do. The table of commands draws the menus, the palette and the shortcut
/// sheet and handles the keys, so that none of them can forget or contradict another. Keys are
/// defaults: Keymap says which key runs what.
struct Command {
  enum class Menu { kFile, kEdit, kView, kGo, kHelp, kMouse };

  std::string_view id;  ///< stable: the name in the settings file and in tests
  Menu menu;
  std::string_view name;                     ///< in menu, palette and sheet
  std::array<std::string_view, 3> keys;      ///< default bindings as parse_shortcut reads them
  void (*run)(App&) = nullptr;               ///< null: described only (held keys and mouse gestures)
  bool (*is_enabled)(const App&) = nullptr;  ///< null = always
  bool (*is_checked)(const App&) = nullptr;  ///< null = not a switch
  bool repeats = false;                      ///< runs again while the key is held
  bool in_menu = true;                       ///< also an entry of the menu
  bool separator_before = false;
  Motion motion = Motion::kNone;  ///< moves the view while its key is held

  /// Keys can be given to it: all but the mouse gestures.
  bool can_have_keys() const { return run != nullptr || motion != Motion::kNone; }
};

/// Commands that stand in a submenu of their menu, where the first of them would stand. Commands that
/// none names stand in the menu itself. In submenus.cpp.
struct Submenu {
  std::string_view title;
  std::span<const std::string_view> ids;
};
std::span<const Submenu> submenus();
/// Null: in none.
const Submenu* submenu_of(const Command& command);

/// All commands of the window, in the order of the menus (command_table.cpp).
std::span<const Command> commands();
/// Null when there is none of that id.
const Command* find_command(std::string_view id);
std::string_view to_text(Command::Menu menu);

bool is_enabled(const App& app, const Command& command);
/// False when it is not enabled.
bool run_command(App& app, const Command& command);
/// Runs commands for panels, which need not know the whole App.
class CommandRunner {
 public:
  explicit CommandRunner(App& app) : app_(app) {}
  bool may_run(const Command& command) const { return is_enabled(app_, command); }
  /// False when it is not enabled.
  bool run(const Command& command) const { return run_command(app_, command); }
  /// `id` is one of commands().
  bool run(std::string_view id) const { return run(*find_command(id)); }

 private:
  App& app_;
};

/// Runs the command that App::keymap binds to `press`. False when there is none or it is not enabled.
bool run_key(App& app, const KeyPress& press);

}  // namespace lacuna
