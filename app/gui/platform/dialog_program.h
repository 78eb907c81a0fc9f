#pragma once

#include "app/gui/platform/dialog_wish.h"

namespace lacuna {

/// Whether zenity or kdialog is installed.
bool has_dialog_program();

/// Asks with zenity or kdialog, whichever is installed. The program is started directly, without a shell, so no
/// file name can be misread as a command. Blocks until it ends, or until `stop_fd` can be read: then it is ended.
DialogAnswer ask_dialog_program(const DialogWish& wish, int stop_fd);

}  // namespace lacuna
