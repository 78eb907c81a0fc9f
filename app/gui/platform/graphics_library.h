#pragma once

#include "model/base/result.h"

namespace lacuna {

/// What is to be drawn on.
enum class GraphicsUse { kWindow, kOffscreen };

/// Loads GLFW and OpenGL, or EGL and OpenGL, where this was not done before: until then the program does without, so
/// that `lacuna web` and all commands run where they are not installed. Functions of theirs (glfw…, gl…, egl…) may be
/// called only after this succeeded. Errors: kUnsupported, with the library that is missing. Main thread.
Result<void> load_graphics(GraphicsUse use);

/// A function of the loaded libraries by its name, or null.
void* find_graphics_function(const char* name);

}  // namespace lacuna
