#pragma once

#include "app/gui/keyboard_motion.h"
#include "app/gui/shortcut.h"

namespace lacuna {

/// The movement key at this position of the keyboard (W, A, S, D on a US layout), whatever letter the
/// user's layout puts there; kNone for other keys and with Ctrl, Alt or Super held.
Motion motion_of(int glfw_key, int glfw_modifiers);

/// What a key press stands for: letters and digits as the user's layout has them. Punctuation without
/// Ctrl and Alt gives key 0: it comes as a character (see shortcut_of_character).
Shortcut shortcut_of_key(int glfw_key, int scancode, int glfw_modifiers);

/// Punctuation as typed; key 0 for everything else.
Shortcut shortcut_of_character(unsigned codepoint);

}  // namespace lacuna
