#include "app/gui/platform/picture.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <GL/gl.h>

#include "app/gui/platform/png.h"

namespace lacuna {

Result<void> save_picture(const std::string& path, PixelRect part, int width, int height) {
  const int x0 = std::clamp(part.x, 0, width);
  const int y0 = std::clamp(part.y, 0, height);
  const int x1 = std::clamp(part.x + part.width, x0, width);
  const int y1 = std::clamp(part.y + part.height, y0, height);
  if (x0 == x1 || y0 == y1) return fail(ErrorCode::kInvalidArgument, "there is nothing to draw", path);
  const auto row = static_cast<std::size_t>(x1 - x0) * 3;
  const auto rows = static_cast<std::size_t>(y1 - y0);
  std::vector<std::uint8_t> upside_down(row * rows);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(x0, height - y1, x1 - x0, y1 - y0, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  std::vector<std::uint8_t> pixels(upside_down.size());
  for (std::size_t y = 0; y < rows; ++y)
    std::memcpy(pixels.data() + y * row, upside_down.data() + (rows - 1 - y) * row, row);
  return write_png(path, x1 - x0, y1 - y0, pixels);
}

}  // namespace lacuna
