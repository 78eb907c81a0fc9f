#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <imgui.h>

#include "app/web/wire/byte_writer.h"
#include "app/web/wire/fill_matcher.h"

namespace lacuna {

/// Writes draw lists as columns that compress well: rectangles and glyphs, which are nearly everything, by their
/// corners, the rest vertex by vertex. Remembers the glyphs that the page has. One thread.
///
/// Rounds positions to 1/64 of a device pixel, which no rasteriser can tell apart (OpenGL promises 1/16);
/// positions on whole or half pixels, the most frequent ones, are exact and take less space.
class ListEncoder {
 public:
  /// A drawn piece of the font's texture: its texture coordinates, and its size in 1/64 device pixels.
  struct Glyph {
    float u0, v0, u1, v1;
    std::int32_t width, height;
    bool operator==(const Glyph&) const = default;
  };
  struct GlyphHash {
    std::size_t operator()(const Glyph& glyph) const;
  };

  /// Begins a frame. `density`: device pixels per layout unit.
  void begin(float density) { unit_ = density * kParts; }
  /// Writes a list, referring to `before`, the rectangles of a list that the page has. Returns its own rectangles.
  std::vector<WireFill> write(const ImDrawList& list, const std::vector<WireFill>& before, ByteWriter& out);
  /// Writes the glyphs first used since the last call, with their numbers.
  void write_new_glyphs(ByteWriter& out);
  /// Forgets all glyphs: the page has none any more.
  void forget_glyphs();
  std::size_t glyphs() const { return numbers_.size(); }

  static constexpr float kParts = 64;  ///< parts of a device pixel

 private:
  enum class Shape : std::uint8_t { kFill, kGlyph, kQuad, kMesh };
  void read(const ImDrawList& list);
  void write_fills(const std::vector<WireFill>& before, ByteWriter& out);
  void add_quad(const ImDrawVert* corners);
  void add_vertex(const ImDrawVert& vertex);
  void add_shape(Shape shape, std::size_t count);
  std::uint32_t number_of(const Glyph& glyph);
  std::int32_t parts(float at) const;
  std::uint8_t shift_of(const std::vector<std::int32_t>& values) const;

  float unit_ = kParts;
  std::unordered_map<Glyph, std::uint32_t, GlyphHash> numbers_;
  std::vector<Glyph> new_glyphs_;

  // Shapes of the current list, and their corners.
  std::vector<std::uint32_t> shapes_;  // kind + 4 * count
  std::vector<WireFill> fills_;
  FillMatcher matcher_;
  std::vector<std::int32_t> glyphs_, glyph_widths_, free_;  // x0 y0; w; x y
  std::vector<std::uint32_t> glyph_numbers_, free_glyphs_;  // of glyphs_, of free_
  std::vector<std::uint32_t> mesh_sizes_;                   // numbers of vertices and indices of each mesh
  std::vector<std::int64_t> mesh_indices_;                  // differences between successive indices
  std::vector<std::uint32_t> colours_;                      // of glyphs and of the vertices of free_, in order
  std::vector<std::uint32_t> indices_;                      // of all commands, relative to the list's first vertex
};

}  // namespace lacuna
