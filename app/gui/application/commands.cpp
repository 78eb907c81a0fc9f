#include "app/gui/application/commands.h"

namespace lacuna {

const Command* find_command(std::string_view id) {
  for (const Command& command : commands()) {
    if (command.id == id && !id.empty()) return &command;
  }
  return nullptr;
}

std::string_view to_text(Command::Menu menu) {
  using Menu = Command::Menu;
  switch (menu) {
    case Menu::kFile:
      return "File";
    case Menu::kEdit:
      return "Edit";
    case Menu::kView:
      return "View";
    case Menu::kGo:
      return "Go";
    case Menu::kHelp:
      return "Help";
    case Menu::kMouse:
      return "Mouse";
  }
  return {};
}

bool is_enabled(const App& app, const Command& command) {
  return command.run != nullptr && (command.is_enabled == nullptr || command.is_enabled(app));
}

bool run_command(App& app, const Command& command) {
  if (!is_enabled(app, command)) return false;
  command.run(app);
  return true;
}

bool run_key(App& app, const KeyPress& press) {
  const Command* command = app.keymap.command_for(press.shortcut);
  if (command == nullptr || (press.is_repeat && !command->repeats)) return false;
  return run_command(app, *command);
}

}  // namespace lacuna
