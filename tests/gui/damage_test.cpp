// Painting only what changed gives the picture that painting everything gives.

#include "app/gui/platform/damage.h"

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "app/gui/platform/software_drawing.h"
#include "tests/support/offscreen_imgui.h"

using namespace lacuna;

namespace {

constexpr int kDamageWidth = 300, kDamageHeight = 170;

unsigned number(std::mt19937& random) {
  return static_cast<unsigned>(random());
}

void damage_callback(const ImDrawList*, const ImDrawCmd*) {}

/// Which triangles touch each pixel, in their order.
using Touched = std::vector<std::uint32_t>;

void paint(const ImDrawList& list, Touched& picture) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr) continue;
    const PaintedRect clip = scissor_of(command.ClipRect, kDamageHeight).intersect({0, 0, kDamageWidth, kDamageHeight});
    for (unsigned i = 0; i < command.ElemCount; i += 3) {
      const ImDrawIdx* const at = list.IdxBuffer.Data + command.IdxOffset + i;
      if (at[0] == at[1] && at[1] == at[2]) continue;
      float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
      std::uint32_t hash = 7;
      for (int k = 0; k < 3; ++k) {
        const ImDrawVert& v = list.VtxBuffer[static_cast<int>(command.VtxOffset) + at[k]];
        x0 = std::min(x0, v.pos.x);
        y0 = std::min(y0, v.pos.y);
        x1 = std::max(x1, v.pos.x);
        y1 = std::max(y1, v.pos.y);
        hash = hash * 31 + v.col + static_cast<std::uint32_t>(v.pos.x * 8) + static_cast<std::uint32_t>(v.uv.x * 999);
      }
      const PaintedRect box = PaintedRect{static_cast<int>(std::floor(x0)), static_cast<int>(std::floor(y0)),
                                          static_cast<int>(std::ceil(x1)), static_cast<int>(std::ceil(y1))}
                                  .intersect(clip);
      for (int y = box.y0; y < box.y1; ++y)
        for (int x = box.x0; x < box.x1; ++x) {
          std::uint32_t& pixel = picture[static_cast<std::size_t>(y * kDamageWidth + x)];
          pixel = pixel * 16777619u ^ hash;
        }
    }
  }
}

/// Shapes of all kinds; one in `changed_of` differs from the frame before.
void draw_random(ImDrawList& list, std::vector<unsigned>& seeds, std::mt19937& random, unsigned changed_of) {
  for (unsigned& seed : seeds) {
    if (changed_of != 0 && number(random) % changed_of == 0) seed = number(random);
    std::mt19937 own(seed);
    const auto real = [&](float least, float most) { return std::uniform_real_distribution<float>(least, most)(own); };
    const ImVec2 a(real(-40, kDamageWidth), real(-40, kDamageHeight));
    const ImVec2 b(a.x + real(1, 70), a.y + real(1, 40));
    const bool is_clipped = number(own) % 3 == 0;
    if (is_clipped) list.PushClipRect({a.x + 2.3f, a.y + 1.7f}, {b.x - 0.6f, b.y - 0.4f}, true);
    switch (number(own) % 4) {
      case 0:
        list.AddRectFilled(a, b, number(own) | 0xff000000u);
        break;
      case 1:
        list.AddText(a, number(own) | 0xff000000u, "gemm 12.3 ms");
        break;
      case 2:
        list.AddLine(a, b, number(own), real(1, 4));
        break;
      default:
        list.AddRectFilled(a, b, number(own), 4);
        break;
    }
    if (is_clipped) list.PopClipRect();
  }
}

}  // namespace

TEST_CASE("a picture painted in its changed parts is the whole picture") {
  OffscreenImGui scene({kDamageWidth, kDamageHeight});
  std::mt19937 random(3);
  DamageFinder damage;
  SoftwareDrawing drawing({damage_callback, damage_callback, damage_callback});
  Touched kept(kDamageWidth * kDamageHeight, 1);
  std::vector<unsigned> seeds(40);
  for (unsigned& seed : seeds) seed = number(random);
  double painted = 0;
  constexpr int kFrames = 120;
  for (int f = 0; f < kFrames; ++f) {
    const ImDrawData& data = scene.frame([&](ImDrawList& list) { draw_random(list, seeds, random, f == 0 ? 0 : 60); });
    Touched whole(kDamageWidth * kDamageHeight, 1);
    for (int l = 0; l < data.CmdListsCount; ++l) paint(*data.CmdLists[l], whole);
    const std::vector<PaintedRect> parts = damage.find(data, 0, kDamageWidth, kDamageHeight);
    CHECK(parts.size() <= DamageFinder::kMostRects);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t q = 0; q < p; ++q) REQUIRE(parts[p].intersect(parts[q]).empty());
      if (f > 0) painted += double{1} * (parts[p].x1 - parts[p].x0) * (parts[p].y1 - parts[p].y0);
      for (int y = parts[p].y0; y < parts[p].y1; ++y)
        for (int x = parts[p].x0; x < parts[p].x1; ++x) kept[static_cast<std::size_t>(y * kDamageWidth + x)] = 1;
    }
    for (int l = 0; l < data.CmdListsCount; ++l) {
      drawing.rewrite(*data.CmdLists[l], ImGui::GetFontTexUvWhitePixel(), parts, kDamageHeight);
      paint(*data.CmdLists[l], kept);
    }
    REQUIRE(kept == whole);
  }
  CHECK(painted / (kFrames - 1) < 0.7 * kDamageWidth * kDamageHeight);
}

TEST_CASE("nothing is painted where nothing changed, everything where nothing is known") {
  OffscreenImGui scene({kDamageWidth, kDamageHeight});
  DamageFinder damage;
  const auto find = [&](float x, std::uint32_t background = 0, int width = kDamageWidth) {
    return damage.find(scene.frame([&](ImDrawList& list) {
      list.AddRectFilled({x, 70}, {x + 10, 80}, 0xffffffffu);
    }),
                       background, width, kDamageHeight);
  };
  const std::vector<PaintedRect> whole{{0, 0, kDamageWidth, kDamageHeight}};
  CHECK(find(10) == whole);
  CHECK(find(10).empty());
  const std::vector<PaintedRect> moved = find(12);
  REQUIRE(moved.size() == 1);
  CHECK(moved[0] == PaintedRect{0, 64, 32, 96});
  CHECK(find(12, 5) == whole);
  CHECK(find(12, 5, kDamageWidth - 1).size() == 1);
  damage.forget();
  CHECK(find(12, 5) == whole);
  // Not a number, and far outside.
  CHECK(find(NAN, 5) == moved);
  CHECK(find(1e30f, 5).empty());
}
