#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// An OpenGL context without a display server, and a framebuffer to draw into: EGL on Mesa's
/// surfaceless platform (software rendering where there is no GPU), else on the first suitable EGL
/// device. Current on the calling thread from open() until destruction.
class OffscreenContext {
 public:
  static Result<std::unique_ptr<OffscreenContext>> open(int width, int height);
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }
  /// Waits for the drawing and returns the picture: RGB, top row first.
  std::vector<std::uint8_t> read_rgb() const;
  /// Returns an OpenGL function by name, or null.
  static void (*load(const char* name))();

 private:
  OffscreenContext() = default;
  Result<void> make_context();
  Result<void> make_framebuffer();

  int width_ = 0;
  int height_ = 0;
  void* display_ = nullptr;
  void* context_ = nullptr;
  unsigned framebuffer_ = 0;
  unsigned colour_ = 0;
};

}  // namespace lacuna
