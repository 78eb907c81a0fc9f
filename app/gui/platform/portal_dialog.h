#pragma once

#include "app/gui/platform/dialog_wish.h"

namespace lacuna {

/// Whether there may be a portal that shows its dialogs where our window is: the session has a message bus, and
/// we were not reached over SSH. Looks at the environment only.
bool may_have_portal();

/// Asks with the desktop's own dialog: org.freedesktop.portal.FileChooser of the session's bus, as desktops and
/// Flatpak have it (https://flatpak.github.io/xdg-desktop-portal/). Loads sd-bus when first called. Blocks until
/// the user answered, or until `stop_fd` can be read: then the dialog is closed. kUnavailable: there is no bus or no
/// portal, it opened no dialog within five seconds, or it went away while the dialog was open.
DialogAnswer ask_portal(const DialogWish& wish, int stop_fd);

}  // namespace lacuna
