#pragma once
// The entry points of the graphical part. app/main.cpp needs nothing else of it.

#include <string>

#include "app/graphics_options.h"
#include "model/base/result.h"

namespace lacuna {

/// Opens the window and returns when the user closed it. Files load while it is open: one that
/// cannot be read shows in a dialog and is no error of this call.
/// Errors: kUnsupported where there is no display or no OpenGL 3. Call on the main thread.
Result<void> run_window(const WindowOptions& options);

/// Draws the same user interface as the window into a PNG, with no display server (EGL surfaceless,
/// by Mesa's software renderer where there is no GPU). Ignores the user's settings file, so the
/// same trace gives the same picture.
/// Errors: those of the import; kInvalidArgument (no slice named `select`, half or empty range,
/// sizes out of bounds); kUnsupported (no EGL); kNotWritable.
Result<void> take_screenshot(const ScreenshotOptions& options);

/// The window's commands with the keys that the user's settings give them, one a line (list_keys).
std::string list_window_keys();

}  // namespace lacuna
