#include "app/web/wire/list_encoder.h"

#include <algorithm>
#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lacuna {
namespace {

constexpr float kFarthestParts = 1e9f;

/// Whether six indices are those of a rectangle as ImGui writes them, from vertex `first` on.
bool are_of_quad(const std::uint32_t* i, std::uint32_t first) {
  return i[0] == first && i[1] == first + 1 && i[2] == first + 2 && i[3] == first && i[4] == first + 2 &&
         i[5] == first + 3;
}

void write_values(ByteWriter& out, const std::vector<std::int32_t>& values, std::size_t first, std::size_t step,
                  std::uint8_t shift) {
  ByteWriter column;
  std::int64_t before = 0;
  for (std::size_t i = first; i < values.size(); i += step) {
    column.zigzag((values[i] >> shift) - before);
    before = values[i] >> shift;
  }
  out.block(column);
}

/// Each colour with how often it comes in a row.
void write_colours(ByteWriter& out, const std::vector<std::uint32_t>& colours) {
  ByteWriter counts, values;
  for (std::size_t i = 0; i < colours.size();) {
    std::size_t end = i + 1;
    while (end < colours.size() && colours[end] == colours[i]) ++end;
    counts.varint(end - i);
    values.number(colours[i], 4);
    i = end;
  }
  out.block(counts);
  out.block(values);
}

void write_numbers(ByteWriter& out, const std::vector<std::uint32_t>& values) {
  ByteWriter column;
  for (const std::uint32_t value : values) column.varint(value);
  out.block(column);
}

}  // namespace

std::size_t ListEncoder::GlyphHash::operator()(const Glyph& glyph) const {
  return static_cast<std::size_t>(XXH3_64bits(&glyph, sizeof glyph));
}

void ListEncoder::forget_glyphs() {
  numbers_.clear();
  new_glyphs_.clear();
}

std::uint32_t ListEncoder::number_of(const Glyph& glyph) {
  const auto [at, is_new] = numbers_.try_emplace(glyph, static_cast<std::uint32_t>(numbers_.size()));
  if (is_new) new_glyphs_.push_back(glyph);
  return at->second;
}

void ListEncoder::write_new_glyphs(ByteWriter& out) {
  out.varint(new_glyphs_.size());
  for (const Glyph& glyph : new_glyphs_) {
    for (const float at : {glyph.u0, glyph.v0, glyph.u1, glyph.v1}) out.real(at);
    out.zigzag(glyph.width);
    out.zigzag(glyph.height);
  }
  new_glyphs_.clear();
}

std::int32_t ListEncoder::parts(float at) const {
  const float scaled = at * unit_;
  // Not a number draws nothing anywhere.
  if (!(std::abs(scaled) <= kFarthestParts)) return scaled > 0 ? 1'000'000'000 : -1'000'000'000;
  return static_cast<std::int32_t>(std::lrint(scaled));
}

/// How many of the lowest bits are 0 in all of them: 6 on whole pixels, 5 on half ones, else none is left out.
std::uint8_t ListEncoder::shift_of(const std::vector<std::int32_t>& values) const {
  std::uint32_t all = 0;
  for (const std::int32_t value : values) all |= static_cast<std::uint32_t>(value);
  return (all & 63) == 0 ? 6 : (all & 31) == 0 ? 5 : 0;
}

void ListEncoder::add_shape(Shape shape, std::size_t count) {
  const auto kind = static_cast<std::uint32_t>(shape);
  if (shape != Shape::kMesh && !shapes_.empty() && (shapes_.back() & 3) == kind)
    shapes_.back() += static_cast<std::uint32_t>(4 * count);
  else
    shapes_.push_back(kind + static_cast<std::uint32_t>(4 * count));
}

void ListEncoder::add_vertex(const ImDrawVert& vertex) {
  free_.push_back(parts(vertex.pos.x));
  free_.push_back(parts(vertex.pos.y));
  free_glyphs_.push_back(number_of({vertex.uv.x, vertex.uv.y, vertex.uv.x, vertex.uv.y, 0, 0}));
  colours_.push_back(vertex.col);
}

void ListEncoder::add_quad(const ImDrawVert* v) {
  const bool is_rectangle = v[0].pos.y == v[1].pos.y && v[1].pos.x == v[2].pos.x && v[2].pos.y == v[3].pos.y &&
                            v[3].pos.x == v[0].pos.x && v[0].uv.y == v[1].uv.y && v[1].uv.x == v[2].uv.x &&
                            v[2].uv.y == v[3].uv.y && v[3].uv.x == v[0].uv.x && v[0].col == v[1].col &&
                            v[1].col == v[2].col && v[2].col == v[3].col;
  if (!is_rectangle) {
    add_shape(Shape::kQuad, 1);
    for (int i = 0; i < 4; ++i) add_vertex(v[i]);
    return;
  }
  const std::int32_t x0 = parts(v[0].pos.x), y0 = parts(v[0].pos.y);
  const std::int32_t width = parts(v[2].pos.x) - x0, height = parts(v[2].pos.y) - y0;
  // Without a texture of its own all corners lie on its white pixel; there its size differs from one to the next.
  if (v[0].uv.x == v[2].uv.x && v[0].uv.y == v[2].uv.y) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    if (v[0].uv.x == white.x && v[0].uv.y == white.y) {
      add_shape(Shape::kFill, 1);
      fills_.push_back({x0, y0, width, height, v[0].col});
      return;
    }
  }
  add_shape(Shape::kGlyph, 1);
  colours_.push_back(v[0].col);
  glyphs_.insert(glyphs_.end(), {x0, y0});
  glyph_widths_.push_back(width);
  glyph_numbers_.push_back(number_of({v[0].uv.x, v[0].uv.y, v[2].uv.x, v[2].uv.y, width, height}));
}

void ListEncoder::read(const ImDrawList& list) {
  for (auto* each : {&shapes_, &glyph_numbers_, &free_glyphs_, &mesh_sizes_, &colours_, &indices_}) each->clear();
  for (auto* each : {&glyphs_, &glyph_widths_, &free_}) each->clear();
  fills_.clear();
  mesh_indices_.clear();
  for (const ImDrawCmd& command : list.CmdBuffer)
    for (unsigned i = 0; i < command.ElemCount; ++i)
      indices_.push_back(list.IdxBuffer[static_cast<int>(command.IdxOffset + i)] + command.VtxOffset);
  const ImDrawVert* const vertices = list.VtxBuffer.Data;
  std::uint32_t next = 0;  // the first vertex that is not written
  std::size_t at = 0;
  while (at < indices_.size()) {
    if (at + 6 <= indices_.size() && are_of_quad(indices_.data() + at, next)) {
      add_quad(vertices + next);
      next += 4;
      at += 6;
      continue;
    }
    // Triangles up to the next rectangle.
    const std::size_t begin = at;
    std::uint32_t end = next;
    do {
      for (int i = 0; i < 3 && at < indices_.size(); ++i, ++at) end = std::max(end, indices_[at] + 1);
    } while (at < indices_.size() && !(at + 6 <= indices_.size() && are_of_quad(indices_.data() + at, end)));
    add_shape(Shape::kMesh, 1);
    mesh_sizes_.push_back(end - next);
    mesh_sizes_.push_back(static_cast<std::uint32_t>(at - begin));
    std::int64_t before = next;
    for (std::size_t i = begin; i < at; ++i) {
      mesh_indices_.push_back(std::int64_t{indices_[i]} - before);
      before = std::int64_t{indices_[i]};
    }
    for (; next < end; ++next) add_vertex(vertices[next]);
  }
}

void ListEncoder::write_fills(const std::vector<WireFill>& before, ByteWriter& out) {
  matcher_.match(before, fills_);
  ByteWriter runs, moved, lefts, tops, widths, heights;
  std::vector<std::uint32_t> colours;
  std::size_t at = 0, next = 0;  // `next`: behind the one that was taken last
  WireFill last{};
  for (const FillMatcher::Run& run : matcher_.runs()) {
    runs.varint(run.count * 4 + static_cast<std::uint64_t>(run.source));
    if (run.source != FillMatcher::Source::kNew) {
      runs.zigzag(static_cast<std::int64_t>(run.first) - static_cast<std::int64_t>(next));
      next = run.first + run.count;
    }
    for (std::size_t i = 0; i < run.count; ++i, ++at) {
      const WireFill& fill = fills_[at];
      if (run.source == FillMatcher::Source::kShifted) {
        // What rounding made of it: three cases for each edge.
        const WireFill& old = before[run.first + i];
        moved.number(
            static_cast<std::uint64_t>((fill.x - matcher_.shift() - old.x + 1) * 3 + fill.width - old.width + 1), 1);
      } else if (run.source == FillMatcher::Source::kNew) {
        lefts.zigzag(std::int64_t{fill.x} - last.x - last.width);
        tops.zigzag(std::int64_t{fill.y} - last.y);
        widths.zigzag(std::int64_t{fill.width} - last.width);
        heights.zigzag(std::int64_t{fill.height} - last.height);
        colours.push_back(fill.colour);
        last = fill;
      }
    }
  }
  out.zigzag(matcher_.shift());
  for (const ByteWriter* column : {&runs, &moved, &lefts, &tops, &widths, &heights}) out.block(*column);
  write_colours(out, colours);
}

std::vector<WireFill> ListEncoder::write(const ImDrawList& list, const std::vector<WireFill>& before, ByteWriter& out) {
  read(list);
  out.varint(static_cast<std::uint64_t>(list.CmdBuffer.Size));
  for (const ImDrawCmd& command : list.CmdBuffer) {
    out.varint(command.ElemCount);
    for (const float edge : {command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w})
      out.real(edge);
  }
  write_numbers(out, shapes_);
  write_colours(out, colours_);
  write_fills(before, out);

  const std::uint8_t glyph = shift_of(glyphs_);
  out.number(glyph, 1);
  write_numbers(out, glyph_numbers_);
  ByteWriter column;
  std::int64_t right = 0;  // of the glyph before
  for (std::size_t i = 0; i < glyph_widths_.size(); ++i) {
    const std::int64_t left = glyphs_[2 * i] >> glyph;
    column.zigzag(left - right);
    right = left + (glyph_widths_[i] >> glyph);
  }
  out.block(column);
  write_values(out, glyphs_, 1, 2, glyph);

  const std::uint8_t free = shift_of(free_);
  out.number(free, 1);
  write_numbers(out, free_glyphs_);
  write_values(out, free_, 0, 2, free);
  write_values(out, free_, 1, 2, free);
  write_numbers(out, mesh_sizes_);
  column.clear();
  for (const std::int64_t step : mesh_indices_) column.zigzag(step);
  out.block(column);
  return std::move(fills_);
}

}  // namespace lacuna
