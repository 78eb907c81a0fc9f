#include "app/gui/platform/png.h"

#if LACUNA_STB_HEADER_ONLY
#define STB_IMAGE_WRITE_IMPLEMENTATION
#endif
#include <string>

#include <stb_image_write.h>

#include "model/export/replace_file.h"

namespace lacuna {

Result<void> write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgb) {
  std::string png;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &png, width, height, 3, rgb.data(), width * 3) == 0) {
    return fail(ErrorCode::kNotWritable, "the picture could not be encoded", path);
  }
  return replace_file(path, Existing::kReplace, [&](OutputFile& file) {
    file.write(png);
    return Result<void>{};
  });
}

}  // namespace lacuna
