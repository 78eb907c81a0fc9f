#include "app/gui/platform/png.h"

#if LACUNA_STB_HEADER_ONLY
#define STB_IMAGE_WRITE_IMPLEMENTATION
#endif
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <stb_image_write.h>

namespace lacuna {

Result<void> write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgb) {
  std::string png;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &png, width, height, 3, rgb.data(), width * 3) == 0) {
    return fail(ErrorCode::kNotWritable, "the picture could not be encoded", path);
  }
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(png.data(), static_cast<std::streamsize>(png.size()));
  file.close();
  if (!file) {
    const std::string cause = errno != 0 ? std::strerror(errno) : "cannot write";
    std::error_code ignored;  // half a picture is of no use; a device stays
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
    return fail(ErrorCode::kNotWritable, cause, path);
  }
  return {};
}

}  // namespace lacuna
