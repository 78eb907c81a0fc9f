#pragma once

#include "app/gui/core/shortcut.h"

namespace lacuna {

/// Returns the key at this position of the keyboard, named as on a US layout whatever the user's layout has
/// there: the argument of Keymap::motion_for. 0 for keys without a name.
int position_of(int glfw_key);
/// Whether no Ctrl, Alt or Super is held: only then may a held key move the view.
bool moves(int glfw_modifiers);

/// Returns the shortcut of a key press: letters and digits are those of the user's layout (`character`, unshifted; 0:
/// unknown, then as on a US layout). Punctuation without Ctrl and Alt gives key 0: it arrives as a character (see
/// shortcut_of_character).
Shortcut shortcut_of_key(int glfw_key, int character, int glfw_modifiers);

/// Returns the shortcut of the mouse's back and forward buttons; key 0 for all others.
Shortcut shortcut_of_button(int glfw_button, int glfw_modifiers);

/// Returns typed punctuation; key 0 for everything else.
Shortcut shortcut_of_character(unsigned codepoint);

}  // namespace lacuna
