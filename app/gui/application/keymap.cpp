#include "app/gui/application/keymap.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/application/commands.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostQuoted = 60;  // of a text from the settings in a warning

std::string in_quotes(std::string_view text) {
  const bool is_long = text.size() > kMostQuoted;
  return fmt::format("\"{}{}\"", text.substr(0, kMostQuoted), is_long ? "\xE2\x80\xA6" : "");
}

}  // namespace

Keymap::Keymap(std::span<const KeySetting> settings) {
  keys_.resize(commands().size());
  std::vector<bool> is_set(commands().size(), false);
  take_settings(settings, is_set);
  for (const Command& command : commands()) {
    if (is_set[index_of(command)]) continue;
    for (const std::string_view key : command.keys) {
      if (key.empty()) continue;
      if (command.can_have_keys()) {
        bind(command, key, true);
      } else {
        keys_[index_of(command)].emplace_back(key);
      }
    }
  }
}

std::size_t Keymap::index_of(const Command& command) const {
  return static_cast<std::size_t>(&command - commands().data());
}

void Keymap::take_settings(std::span<const KeySetting> settings, std::vector<bool>& is_set) {
  for (const KeySetting& setting : settings) {
    const Command* command = find_command(setting.command);
    if (command == nullptr) {
      warnings_.push_back(fmt::format("There is no command {}.", in_quotes(setting.command)));
    } else if (!command->can_have_keys()) {
      warnings_.push_back(fmt::format("{} is a mouse action and takes no key.", in_quotes(setting.command)));
    } else {
      is_set[index_of(*command)] = true;
      for (const std::string& key : setting.keys) bind(*command, key, false);
    }
  }
}

void Keymap::bind(const Command& command, std::string_view key, bool is_default) {
  Shortcut shortcut = parse_shortcut(key);
  if (shortcut.key == kKeyNone) {
    warnings_.push_back(fmt::format("{}: there is no key {}.", command.id, in_quotes(key)));
    return;
  }
  std::vector<std::string>& keys = keys_[index_of(command)];
  if (command.motion == Motion::kNone) {
    if (claim(command, shortcut, is_default)) keys.push_back(to_text(shortcut));
    return;
  }
  // A movement has the key alone and, faster, with Shift.
  if ((shortcut.modifiers & (kModCtrl | kModAlt)) != 0) {
    warnings_.push_back(
        fmt::format("{}: a key that is held to move has no Ctrl or Alt, unlike {}.", command.id, in_quotes(key)));
    return;
  }
  for (const std::uint8_t modifiers : {std::uint8_t{0}, std::uint8_t{kModShift}}) {
    shortcut.modifiers = modifiers;
    const auto owner = owners_.find(code(shortcut));
    if (owner != owners_.end() && owner->second == &command) continue;
    if (claim(command, shortcut, is_default)) keys.push_back(to_text(shortcut));
  }
}

/// Whether the key is now the command's.
bool Keymap::claim(const Command& command, Shortcut shortcut, bool is_default) {
  const auto [owner, is_free] = owners_.try_emplace(code(shortcut), &command);
  if (is_free) return true;
  if (owner->second == &command) return false;  // named twice
  if (is_default) {
    notes_.push_back(
        fmt::format("{} is now \"{}\" and no longer \"{}\".", to_text(shortcut), owner->second->name, command.name));
  } else {
    warnings_.push_back(fmt::format("{} is given to both {} and {}; {} keeps it.", to_text(shortcut), owner->second->id,
                                    command.id, owner->second->id));
  }
  return false;
}

const Command* Keymap::command_for(Shortcut shortcut) const {
  if (shortcut.key == kKeyNone) return nullptr;
  const auto owner = owners_.find(code(shortcut));
  return owner != owners_.end() && owner->second->run != nullptr ? owner->second : nullptr;
}

Motion Keymap::motion_for(int key) const {
  const auto owner = owners_.find(code({key, 0}));
  return key != kKeyNone && owner != owners_.end() ? owner->second->motion : Motion::kNone;
}

std::span<const std::string> Keymap::keys_of(const Command& command) const {
  return keys_[index_of(command)];
}

std::string_view Keymap::key_of(std::string_view id) const {
  const Command* command = find_command(id);
  if (command == nullptr || keys_of(*command).empty()) return {};
  return keys_of(*command).front();
}

std::string list_keys(const Keymap& keymap) {
  std::string list;
  for (const Command& command : commands()) {
    if (command.id.empty()) continue;
    const auto keys = keymap.keys_of(command);
    const std::string text = keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, " or "));
    list += fmt::format("{:<22}  {:<28}  {}\n", command.id, text, command.name);
  }
  return list;
}

}  // namespace lacuna
