#pragma once

#include "model/base/result.h"

namespace lacuna {

/// The target of drawing.
enum class GraphicsUse { kWindow, kOffscreen };

/// Loads GLFW and OpenGL, or EGL and OpenGL, unless already loaded: the program starts without them, so
/// that `lacuna web` and all commands run where they are not installed. Their functions (glfw…, gl…, egl…) may be
/// called only after this succeeded. Errors: kUnsupported, naming the missing library. Main thread.
Result<void> load_graphics(GraphicsUse use);

/// Returns a function of the loaded libraries by name, or null.
void* find_graphics_function(const char* name);

}  // namespace lacuna
