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
    const std::size_t place = frame.lists.size();
    const std::vector<WireFill> before = place < lists_.size() ? lists_[place].fills : std::vector<WireFill>();
    if (known > lists_.size()) throw std::runtime_error("a frame names a list that is not there");
    frame.lists.push_back(known > 0 ? lists_[known - 1] : read_list(in, before));
    frame.lists.back().is_new = known == 0;
  }
  if (!in.at_end()) throw std::runtime_error("a frame goes on beyond its end");
  lists_ = frame.lists;
  return frame;
}

std::vector<WireFill> FrameDecoder::read_fills(Reader& in, const std::vector<WireFill>& before) {
  const auto shift = static_cast<std::int32_t>(in.zigzag());
  Reader runs = in.block(), moved = in.block(), lefts = in.block(), tops = in.block(), widths = in.block(),
         heights = in.block(), counts = in.block(), colours = in.block();
  std::vector<WireFill> fills;
  WireFill last{};
  std::size_t next = 0;
  std::uint64_t colour_left = 0;
  while (!runs.at_end()) {
    const std::uint64_t word = runs.varint();
    if (word % 4 > 0) next = static_cast<std::size_t>(static_cast<std::int64_t>(next) + runs.zigzag());
    for (std::uint64_t i = 0; i < word / 4; ++i) {
      if (word % 4 == 0) {
        last.x += last.width + static_cast<std::int32_t>(lefts.zigzag());
        last.y += static_cast<std::int32_t>(tops.zigzag());
        last.width += static_cast<std::int32_t>(widths.zigzag());
        last.height += static_cast<std::int32_t>(heights.zigzag());
        if (colour_left == 0) {
          colour_left = counts.varint();
          last.colour = static_cast<std::uint32_t>(colours.number(4));
        }
        --colour_left;
        fills.push_back(last);
        continue;
      }
      fills.push_back(before.at(next++));
      if (word % 4 != 1) continue;
      const auto rounded = static_cast<std::int32_t>(moved.number(1));
      fills.back().x += shift + rounded / 3 - 1;
      fills.back().width += rounded % 3 - 1;
    }
  }
  return fills;
}

FrameDecoder::List FrameDecoder::read_list(Reader& in, const std::vector<WireFill>& before) {
  List list;
  std::uint32_t elements = 0;
  for (std::uint64_t left = in.varint(); left > 0; --left) {
    Command command{elements, static_cast<std::uint32_t>(in.varint()), {}};
    for (float& edge : command.clip) edge = in.real();
    elements += command.count;
    list.commands.push_back(command);
  }
  Reader shapes = in.block(), counts = in.block(), colours = in.block();
  list.fills = read_fills(in, before);
  std::size_t fill = 0;
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
  const auto rectangle = [&](float x0, float y0, float x1, float y1, const Glyph& g, ImU32 c) {
    quad();
    list.vertices.insert(list.vertices.end(), {{{x0, y0}, {g.u0, g.v0}, c},
                                               {{x1, y0}, {g.u1, g.v0}, c},
                                               {{x1, y1}, {g.u1, g.v1}, c},
                                               {{x0, y1}, {g.u0, g.v1}, c}});
  };
  std::int64_t glyph_right = 0, glyph_top = 0, x = 0, y = 0;
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
          const WireFill& f = list.fills.at(fill++);
          rectangle(at(f.x, 0), at(f.y, 0), at(f.x + f.width, 0), at(f.y + f.height, 0), white, f.colour);
          break;
        }
        case 1: {
          const Glyph& g = glyphs_.at(numbers.varint());
          const std::int64_t left = glyph_right + gx.zigzag();
          glyph_top += gy.zigzag();
          glyph_right = left + (g.width >> glyph_shift);
          const float x0 = at(left, glyph_shift), y0 = at(glyph_top, glyph_shift);
          rectangle(x0, y0, x0 + at(g.width, 0), y0 + at(g.height, 0), g, next_colour());
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
