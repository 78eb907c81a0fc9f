#pragma once

#include "app/gui/platform/input_queue.h"
#include "app/gui/shell/shell.h"

namespace lacuna {

/// Handles a window's events beyond ImGui's widgets: commands, the movement keys, Alt alone. Shared by the
/// desktop window and the browser's. Borrows all three. UI thread.
class WindowKeys {
 public:
  WindowKeys(App& app, Shell& shell, InputQueue& input) : app_(app), shell_(shell), input_(input) {}

  /// For InputQueue::feed(). Returns whether a command ran.
  bool take(const InputQueue::Event& event);

 private:
  bool run(const InputQueue::Event& event);
  bool take_key(const InputQueue::Event& event);

  App& app_;
  Shell& shell_;
  InputQueue& input_;
  bool repeating_ = false;     // the key event before the character was a repeat
  bool is_alt_alone_ = false;  // Alt is down, and no other key was pressed since
};

}  // namespace lacuna
