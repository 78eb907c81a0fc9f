#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/base/result.h"

namespace lacuna {

/// Writes RGB pixels, top row first, as PNG.
Result<void> write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgb);

}  // namespace lacuna
