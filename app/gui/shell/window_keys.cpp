#include "app/gui/shell/window_keys.h"

#include <utility>

#include <GLFW/glfw3.h>

#include "app/gui/platform/glfw_keys.h"
#include "app/gui/shell/settle.h"

namespace lacuna {

bool WindowKeys::take(const InputQueue::Event& event) {
  const bool ran = run(event);
  if (ran) input_.pause(kSettleFrames - 1);
  return ran;
}

/// Whether a command ran.
bool WindowKeys::run(const InputQueue::Event& event) {
  using Kind = InputQueue::Event::Kind;
  if (event.kind == Kind::kKey) return take_key(event);
  if (event.kind == Kind::kCharacter) {
    const Shortcut shortcut = shortcut_of_character(event.codepoint);
    return shortcut.key != kKeyNone && shell_.handle_key({shortcut, repeating_});
  }
  if (event.kind == Kind::kButton && event.action == GLFW_PRESS) {
    is_alt_alone_ = false;
    const Shortcut shortcut = shortcut_of_button(event.key, event.modifiers);
    return shortcut.key != kKeyNone && shell_.handle_key({shortcut, false});
  }
  if (event.kind == Kind::kFocus && event.key == 0) app_.workspace.view().keys().release_all();
  return false;
}

/// Whether a command ran.
bool WindowKeys::take_key(const InputQueue::Event& event) {
  repeating_ = event.action == GLFW_REPEAT;
  const bool with_shift = (event.modifiers & GLFW_MOD_SHIFT) != 0;
  const Motion motion = app_.keymap.motion_for(position_of(event.key));
  // Alt that was pressed and let go alone opens the menus, as elsewhere on the desktop.
  const bool is_alt = event.key == GLFW_KEY_LEFT_ALT;
  if (!is_alt || event.action == GLFW_REPEAT) is_alt_alone_ = false;
  if (is_alt && event.action == GLFW_PRESS) is_alt_alone_ = event.modifiers == 0 || event.modifiers == GLFW_MOD_ALT;
  if (is_alt && event.action == GLFW_RELEASE && std::exchange(is_alt_alone_, false) && !shell_.is_modal())
    app_.requests.add(ask::OpenMenu{});
  if (event.action == GLFW_RELEASE) {
    // Whatever is held by now: the movement must end.
    if (motion != Motion::kNone) shell_.handle_motion(motion, false, with_shift);
    return false;
  }
  if (event.key == GLFW_KEY_F9) ++app_.observed.probes;
  if (motion != Motion::kNone && moves(event.modifiers)) {
    if (event.action == GLFW_PRESS) shell_.handle_motion(motion, true, with_shift);
    return false;
  }
  const Shortcut shortcut = shortcut_of_key(event.key, event.character, event.modifiers);
  return shortcut.key != kKeyNone && shell_.handle_key({shortcut, repeating_});
}

}  // namespace lacuna
