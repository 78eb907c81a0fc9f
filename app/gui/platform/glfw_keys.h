#pragma once

#include "app/gui/core/shortcut.h"

namespace lacuna {

/// The key at this position of the keyboard, named as on a US layout whatever the user's layout puts
/// there: what Keymap::motion_for takes. 0 for keys without a name.
int position_of(int glfw_key);
/// No Ctrl, Alt or Super: a key held with these modifiers may move the view.
bool moves(int glfw_modifiers);

/// What a key press stands for: letters and digits as the user's layout has them (`character`, unshifted; 0: unknown,
/// and then as on a US layout). Punctuation without Ctrl and Alt gives key 0: it comes as a character (see
/// shortcut_of_character).
Shortcut shortcut_of_key(int glfw_key, int character, int glfw_modifiers);

/// The buttons of a mouse that go back and forward; key 0 for all others.
Shortcut shortcut_of_button(int glfw_button, int glfw_modifiers);

/// Punctuation as typed; key 0 for everything else.
Shortcut shortcut_of_character(unsigned codepoint);

}  // namespace lacuna
