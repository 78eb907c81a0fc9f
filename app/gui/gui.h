#pragma once
// The entry points of the GUI. app/main.cpp uses nothing else of it.

#include <string>

#include "app/graphics_options.h"
#include "app/gui/shell/frame_observer.h"
#include "model/base/result.h"

namespace lacuna {

/// Opens the window and returns when the user closed it. Files load while it is open: for a file that
/// cannot be read a dialog is shown, and this call returns no error.
/// Errors: kUnsupported where there is no display or no OpenGL 3. Call on the main thread.
Result<void> run_window(const WindowOptions& options, const MakeFrameObserver& observe);

/// Renders the window's user interface into a PNG without a display server (EGL surfaceless,
/// with Mesa's software renderer where there is no GPU). Ignores the user's settings file, so the
/// same trace always gives the same picture.
/// Errors: those of the import; kInvalidArgument (no slice named `select`, half or empty range,
/// sizes out of bounds); kUnsupported (no EGL); kNotWritable.
Result<void> take_screenshot(const ScreenshotOptions& options);

/// Returns the window's commands with the keys from the user's settings, one per line (list_keys).
std::string list_window_keys();

}  // namespace lacuna
