#pragma once
// The two entry points of the graphical part. app/main.cpp and app/cli need nothing else of it.

#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace lacuna {

/// What `lacuna TRACE…` asks for.
struct WindowOptions {
  std::vector<std::string> paths;  ///< loaded into one view, side by side; empty = empty window
  unsigned threads = 0;            ///< importer threads; 0 = one per core
};

/// Opens the window and returns when the user closed it. Files load while it is open: one that
/// cannot be read shows in a dialog and is no error of this call.
/// Errors: kUnsupported where there is no display or no OpenGL 3. Call on the main thread.
Result<void> run_window(const WindowOptions& options);

/// What `lacuna screenshot` asks for.
struct ScreenshotOptions {
  std::vector<std::string> paths;
  std::string output;        ///< PNG file, overwritten
  int width = 1600;          ///< pixels, 320 … 16384
  int height = 900;          ///< pixels, 240 … 16384
  float scale = 1;           ///< size of text and rows, 0.5 … 4; 2 suits 3840x2160
  bool light = false;        ///< light theme instead of the dark one
  /// Visible range (both or neither). Times as `ts` in the file when they overlap what the file
  /// covers; else they count from the trace's start, as the ruler does.
  std::optional<Nanos> from_ns;
  std::optional<Nanos> to_ns;
  std::string select;        ///< selects the longest slice with this name; empty = none
  std::string panel;         ///< "statistics", "gaps" or "report" in the drawer; empty = statistics
  unsigned threads = 0;
};

/// Draws the same user interface as the window into a PNG, with no display server (EGL surfaceless,
/// by Mesa's software renderer where there is no GPU). Ignores the user's settings file, so the
/// same trace gives the same picture.
/// Errors: those of the import; kInvalidArgument (no slice named `select`, half or empty range,
/// sizes out of bounds); kUnsupported (no EGL); kNotWritable.
Result<void> take_screenshot(const ScreenshotOptions& options);

}  // namespace lacuna
