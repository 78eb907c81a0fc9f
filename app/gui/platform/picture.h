#pragma once

#include <string>

#include "model/base/result.h"

namespace lacuna {

/// A rectangle of the framebuffer in pixels, y from the top.
struct PixelRect {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Writes a part of the frame just drawn as PNG. Needs a current OpenGL context; call before the buffers are
/// swapped. The rectangle is clipped to the framebuffer of `width` x `height`.
Result<void> save_picture(const std::string& path, PixelRect part, int width, int height);

}  // namespace lacuna
