#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/application/settings.h"
#include "app/gui/core/keyboard_motion.h"
#include "app/gui/core/shortcut.h"

namespace lacuna {

struct Command;

/// Which key runs which command: the defaults of the table of commands, and what the user's settings
/// change of them. A command that the settings name has the keys given there and no others (an empty
/// list: none). A default key that the user gave to another command goes there. Immutable.
class Keymap {
 public:
  Keymap() : Keymap(std::span<const KeySetting>{}) {}
  explicit Keymap(std::span<const KeySetting> settings);

  /// Null when the key is free, or moves the view.
  const Command* command_for(Shortcut shortcut) const;
  /// The movement of the key at this place of the keyboard, named as on a US layout.
  Motion motion_for(int key) const;

  /// Keys of a command of the table, as shown to people; mouse gestures for those.
  std::span<const std::string> keys_of(const Command& command) const;
  /// The first of them, empty when there is none. An unknown id has none.
  std::string_view key_of(std::string_view id) const;

  /// Sentences about invalid settings: unknown commands and keys, keys given twice.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Default keys that commands lost to others by the settings.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::size_t index_of(const Command& command) const;
  void take_settings(std::span<const KeySetting> settings, std::vector<bool>& is_set);
  void bind(const Command& command, std::string_view key, bool is_default);
  bool claim(const Command& command, Shortcut shortcut, bool is_default);

  static constexpr std::uint32_t code(Shortcut s) { return static_cast<std::uint32_t>(s.key) << 8 | s.modifiers; }

  std::vector<std::vector<std::string>> keys_;      // by index of the command
  std::map<std::uint32_t, const Command*> owners_;  // by code()
  std::vector<std::string> warnings_;
  std::vector<std::string> notes_;
};

/// The table of commands with their keys as text, one a line: "id  keys  name", two blanks or more
/// between the columns, " or " between keys, "none" without any. For `lacuna --list-keys`.
std::string list_keys(const Keymap& keymap);

}  // namespace lacuna
