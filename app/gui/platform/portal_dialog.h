#pragma once

#include "app/gui/platform/dialog_wish.h"

namespace lacuna {

/// Whether a portal may exist that shows its dialogs on our window's display: the session has a message bus, and
/// we are not connected over SSH. Looks at the environment only.
bool may_have_portal();

/// Shows the desktop's own dialog: org.freedesktop.portal.FileChooser on the session bus, as desktops and
/// Flatpak provide it (https://flatpak.github.io/xdg-desktop-portal/). Loads sd-bus on the first call. Blocks until
/// the user answered; when `stop_fd` becomes readable, the dialog is closed. kUnavailable: there is no bus or no
/// portal, it opened no dialog within five seconds, or it vanished while the dialog was open.
DialogAnswer ask_portal(const DialogWish& wish, int stop_fd);

}  // namespace lacuna
