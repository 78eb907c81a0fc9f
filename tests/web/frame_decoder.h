#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/web/wire/fill_matcher.h"

namespace lacuna {

/// Decodes messages like app/web/page/wire.js, in C++. Throws std::runtime_error if a frame is invalid.
class FrameDecoder {
 public:
  struct Command {
    std::uint32_t first, count;
    float clip[4];
  };
  struct List {
    std::vector<Command> commands;
    std::vector<ImDrawVert> vertices;
    std::vector<std::uint32_t> indices;
    std::vector<WireFill> fills;
    bool is_new = true;  ///< whether it came with this frame
  };
  struct Frame {
    std::uint32_t number = 0;
    float width = 0, height = 0, density = 0;
    std::uint32_t background = 0;
    std::vector<List> lists;
  };

  /// Decodes a whole message, as sent over the connection.
  Frame decode(std::string_view message);

 private:
  struct Glyph {
    float u0, v0, u1, v1;
    std::int64_t width, height;
  };
  class Reader;
  List read_list(Reader& in, const std::vector<WireFill>& before);
  static std::vector<WireFill> read_fills(Reader& in, const std::vector<WireFill>& before);

  std::vector<Glyph> glyphs_;
  std::vector<List> lists_;
  float white_u_ = 0, white_v_ = 0;
  double unit_ = 1;
};

/// Decompresses raw deflate data.
std::string inflate_raw(std::string_view packed);

}  // namespace lacuna
