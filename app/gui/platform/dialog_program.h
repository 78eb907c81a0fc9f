#pragma once

#include "app/gui/platform/dialog_wish.h"

namespace lacuna {

/// Whether zenity or kdialog is installed.
bool has_dialog_program();

/// Shows a dialog of zenity or kdialog, whichever is installed. Starts the program without a shell, so no
/// file name can be misread as a command. Blocks until it ends; when `stop_fd` becomes readable, the program is ended.
DialogAnswer ask_dialog_program(const DialogWish& wish, int stop_fd);

}  // namespace lacuna
