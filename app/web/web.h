#pragma once
// The entry point of the browser window. app/main.cpp uses nothing else of it.

#include "app/graphics_options.h"
#include "app/gui/shell/frame_observer.h"
#include "model/base/result.h"

namespace lacuna {

/// Serves the window to browsers until a signal ends it, or no page was open for the given time. Prints the address
/// with the token to standard output. Needs no display and no graphics library.
/// Errors: kUnsupported (no port, no random numbers); those of attaching to a recording. Call on the main thread.
Result<void> run_web(const WebOptions& options, const MakeFrameObserver& observe);

}  // namespace lacuna
