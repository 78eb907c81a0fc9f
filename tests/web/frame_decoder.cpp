#include "tests/web/frame_decoder.h"

#include <bit>
#include <cmath>

#include <isa-l/igzip_lib.h>

namespace lacuna {

class FrameDecoder::Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }
  std::uint64_t number(std::size_t size) {
    if (bytes_.size() < size) throw std::runtime_error("a frame is cut off");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes_[i])} << (8 * i);
    bytes_.remove_prefix(size);
    return value;
  }
  float real() { return std::bit_cast<float>(static_cast<std::uint32_t>(number(4))); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  std::int64_t zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  Reader block() {
    const std::size_t size = varint();
    if (size > bytes_.size()) throw std::runtime_error("a frame is cut off");
    const Reader inside(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return inside;
  }

 private:
  std::string_view bytes_;
};

std::string inflate_raw(std::string_view packed) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_DEFLATE;
  std::string input(packed), bytes;
  state.next_in = reinterpret_cast<std::uint8_t*>(input.data());
  state.avail_in = static_cast<std::uint32_t>(input.size());
  std::string part(1 << 16, '\0');
  do {
    state.next_out = reinterpret_cast<std::uint8_t*>(part.data());
    state.avail_out = static_cast<std::uint32_t>(part.size());
    if (isal_inflate(&state) != ISAL_DECOMP_OK) throw std::runtime_error("this is no deflate");
    bytes.append(part, 0, part.size() - state.avail_out);
  } while (state.block_state != ISAL_BLOCK_FINISH);
  return bytes;
}

FrameDecoder::Frame FrameDecoder::decode(std::string_view message) {
  Reader head(message.substr(0, 5));
  if (head.number(1) != 1) throw std::runtime_error("this is no frame");
  Frame frame;
  frame.number = static_cast<std::uint32_t>(head.number(4));
  const std::string body = inflate_raw(message.substr(5));
  Reader in(body);
  frame.width = in.real();
  frame.height = in.real();
  frame.density = in.real();
  frame.background = static_cast<std::uint32_t>(in.number(4));
  if ((in.number(1) & 1) != 0) {
    glyphs_.clear();
    lists_.clear();
  }
  white_u_ = in.real();
  white_v_ = in.real();
  unit_ = 1.0 / (64.0 * static_cast<double>(frame.density));
  for (std::uint64_t left = in.varint(); left > 0; --left) {
    Glyph glyph{};
    for (float* at : {&glyph.u0, &glyph.v0, &glyph.u1, &glyph.v1}) *at = in.real();
    glyph.width = in.zigzag();
    glyph.height = in.zigzag();
    glyphs_.push_back(glyph);
  }
  for (std::uint64_t left = in.varint(); left > 0; --left) {
    const std::size_t known = in.varint();
    if (known > lists_.size()) throw std::runtime_error("a frame names a list that is not there");
    frame.lists.push_back(known > 0 ? lists_[known - 1] : read_list(in));
    frame.lists.back().is_new = known == 0;
  }
  if (!in.at_end()) throw std::runtime_error("a frame goes on beyond its end");
  lists_ = frame.lists;
  return frame;
}

FrameDecoder::List FrameDecoder::read_list(Reader& in) {
  List list;
  std::uint32_t elements = 0;
  for (std::uint64_t left = in.varint(); left > 0; --left) {
    Command command{elements, static_cast<std::uint32_t>(in.varint()), {}};
    for (float& edge : command.clip) edge = in.real();
    elements += command.count;
    list.commands.push_back(command);
  }
  Reader shapes = in.block(), counts = in.block(), colours = in.block();
  const auto fill_shift = static_cast<int>(in.number(1));
  Reader fx = in.block(), fy = in.block(), fw = in.block(), fh = in.block();
  const auto glyph_shift = static_cast<int>(in.number(1));
  Reader numbers = in.block(), gx = in.block(), gy = in.block();
  const auto free_shift = static_cast<int>(in.number(1));
  Reader free_numbers = in.block(), vx = in.block(), vy = in.block(), sizes = in.block(), steps = in.block();

  std::uint64_t colour_left = 0;
  std::uint32_t colour = 0;
  const auto next_colour = [&] {
    while (colour_left == 0) {
      colour_left = counts.varint();
      colour = static_cast<std::uint32_t>(colours.number(4));
    }
    --colour_left;
    return colour;
  };
  const auto at = [&](std::int64_t value, int shift) {
    return static_cast<float>(static_cast<double>(value) * std::ldexp(unit_, shift));
  };
  const auto quad = [&] {
    const auto first = static_cast<std::uint32_t>(list.vertices.size());
    for (const std::uint32_t corner : {0, 1, 2, 0, 2, 3}) list.indices.push_back(first + corner);
  };
  const auto rectangle = [&](float x0, float y0, float x1, float y1, const Glyph& g) {
    const ImU32 c = next_colour();
    quad();
    list.vertices.insert(list.vertices.end(), {{{x0, y0}, {g.u0, g.v0}, c},
                                               {{x1, y0}, {g.u1, g.v0}, c},
                                               {{x1, y1}, {g.u1, g.v1}, c},
                                               {{x0, y1}, {g.u0, g.v1}, c}});
  };
  std::int64_t right = 0, top = 0, width = 0, height = 0, glyph_right = 0, glyph_top = 0, x = 0, y = 0;
  const auto free_vertex = [&] {
    const Glyph& g = glyphs_.at(free_numbers.varint());
    x += vx.zigzag();
    y += vy.zigzag();
    list.vertices.push_back({{at(x, free_shift), at(y, free_shift)}, {g.u0, g.v0}, next_colour()});
  };
  const Glyph white{white_u_, white_v_, white_u_, white_v_, 0, 0};
  while (!shapes.at_end()) {
    const std::uint64_t word = shapes.varint();
    for (std::uint64_t i = 0; i < word / 4; ++i) {
      switch (word % 4) {
        case 0: {
          const std::int64_t left = right + fx.zigzag();
          top += fy.zigzag();
          width += fw.zigzag();
          height += fh.zigzag();
          right = left + width;
          rectangle(at(left, fill_shift), at(top, fill_shift), at(right, fill_shift), at(top + height, fill_shift),
                    white);
          break;
        }
        case 1: {
          const Glyph& g = glyphs_.at(numbers.varint());
          const std::int64_t left = glyph_right + gx.zigzag();
          glyph_top += gy.zigzag();
          glyph_right = left + (g.width >> glyph_shift);
          const float x0 = at(left, glyph_shift), y0 = at(glyph_top, glyph_shift);
          rectangle(x0, y0, x0 + at(g.width, 0), y0 + at(g.height, 0), g);
          break;
        }
        case 2:
          quad();
          for (int corner = 0; corner < 4; ++corner) free_vertex();
          break;
        default: {
          const std::uint64_t own_vertices = sizes.varint(), own_indices = sizes.varint();
          auto index = static_cast<std::int64_t>(list.vertices.size());
          for (std::uint64_t k = 0; k < own_indices; ++k)
            list.indices.push_back(static_cast<std::uint32_t>(index += steps.zigzag()));
          for (std::uint64_t k = 0; k < own_vertices; ++k) free_vertex();
        }
      }
    }
  }
  if (list.indices.size() != elements) throw std::runtime_error("a frame has other indices than it says");
  return list;
}

}  // namespace lacuna
