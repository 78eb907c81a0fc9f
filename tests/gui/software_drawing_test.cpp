#include "app/gui/platform/software_drawing.h"

#include <algorithm>
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/offscreen_imgui.h"

using namespace lacuna;

namespace {

void software_opaque(const ImDrawList*, const ImDrawCmd*) {}
void software_plain(const ImDrawList*, const ImDrawCmd*) {}
void software_textured(const ImDrawList*, const ImDrawCmd*) {}

/// A frame that is being drawn.
struct SoftwareDrawingScene : OffscreenImGui {
  SoftwareDrawingScene() {
    ImGui::NewFrame();
    list = ImGui::GetBackgroundDrawList();
  }
  ~SoftwareDrawingScene() { ImGui::EndFrame(); }

  /// A triangle as it is drawn: in which state, and where its first corner lies.
  struct Triangle {
    ImDrawCallback state;
    ImDrawVert a, b, c;
  };
  std::vector<Triangle> triangles() const {
    std::vector<Triangle> all;
    ImDrawCallback state = software_textured;
    for (const ImDrawCmd& command : list->CmdBuffer) {
      if (command.UserCallback != nullptr) {
        state = command.UserCallback;
        continue;
      }
      for (unsigned i = 0; i < command.ElemCount; i += 3) {
        const ImDrawIdx* const at = list->IdxBuffer.Data + command.IdxOffset + i;
        const ImDrawVert* const vertices = list->VtxBuffer.Data + command.VtxOffset;
        if (at[0] == at[1] && at[1] == at[2]) continue;  // fills a draw up
        all.push_back({state, vertices[at[0]], vertices[at[1]], vertices[at[2]]});
      }
    }
    CHECK((state == software_textured));  // as the next list expects it
    return all;
  }

  void rewrite() {
    SoftwareDrawing drawing({software_opaque, software_plain, software_textured});
    drawing.rewrite(*list, ImGui::GetFontTexUvWhitePixel());
  }

  ImDrawList* list = nullptr;
};

std::size_t draws(const ImDrawList& list) {
  return static_cast<std::size_t>(std::count_if(list.CmdBuffer.begin(), list.CmdBuffer.end(), [](const ImDrawCmd& c) {
    return c.UserCallback == nullptr && c.ElemCount > 0;
  }));
}

}  // namespace

TEST_CASE("fills go without texture, large opaque ones without blending, text stays as it is") {
  SoftwareDrawingScene scene;
  scene.list->AddRectFilled({0, 0}, {800, 600}, IM_COL32(20, 20, 30, 255));
  scene.list->AddRectFilled({10, 10}, {40, 20}, IM_COL32(200, 20, 30, 100));
  scene.list->AddText({300, 300}, IM_COL32_WHITE, "gemm");
  scene.rewrite();
  const auto all = scene.triangles();
  REQUIRE(all.size() == 2 + 2 + 8);
  CHECK((all[0].state == software_opaque));
  CHECK((all[1].state == software_opaque));
  CHECK((all[2].state == software_plain));
  for (std::size_t i = 4; i < all.size(); ++i) CHECK((all[i].state == software_textured));
}

TEST_CASE("what lies over a text is drawn after it; what does not touch it may come before") {
  SoftwareDrawingScene scene;
  scene.list->AddText({100, 100}, IM_COL32_WHITE, "gemm");
  scene.list->AddRectFilled({400, 400}, {420, 420}, IM_COL32(1, 2, 3, 255));  // elsewhere
  scene.list->AddRectFilled({90, 90}, {200, 120}, IM_COL32(4, 5, 6, 255));    // over the text
  scene.list->AddText({100, 200}, IM_COL32_WHITE, "x");
  scene.rewrite();
  const auto all = scene.triangles();
  const auto place = [&](float x, float y) {
    return std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.a.pos.x == x && t.a.pos.y == y; }) -
           all.begin();
  };
  const auto text =
      std::find_if(all.begin(), all.end(), [](const auto& t) { return t.state == software_textured; }) - all.begin();
  REQUIRE(place(90, 90) < static_cast<std::ptrdiff_t>(all.size()));
  CHECK(place(400, 400) < text);
  CHECK(place(90, 90) > text);
  CHECK((all.back().state == software_textured));
}

TEST_CASE("rectangles come in draws that the renderer knows as rectangles") {
  SoftwareDrawingScene scene;
  constexpr int kRects = 1000;
  for (int i = 0; i < kRects; ++i) {
    const auto x = static_cast<float>(i % 100 * 8), y = static_cast<float>(i / 100 * 20);
    scene.list->AddRectFilled({x, y}, {x + 7, y + 18}, IM_COL32(i % 200, 5, 6, 255));
    if (i == 500) scene.list->AddTriangleFilled({700, 500}, {720, 500}, {700, 520}, IM_COL32(9, 9, 9, 255));
  }
  const auto before = scene.list->VtxBuffer.Size;
  scene.rewrite();
  CHECK(scene.list->VtxBuffer.Size == before);
  const auto all = scene.triangles();
  // ImGui smooths the triangle's edges: how many it makes of it is its own business.
  CHECK(all.size() >= 2 * kRects + 1);
  for (const ImDrawCmd& command : scene.list->CmdBuffer) {
    CHECK(command.ElemCount % 6 == 0);
    CHECK(command.ElemCount <= 1020);
  }
  CHECK(draws(*scene.list) >= 6);
  CHECK(draws(*scene.list) <= 9);
  // In the order in which they were drawn.
  std::vector<float> order;
  for (const auto& t : all)
    if (t.b.pos.y == t.a.pos.y && t.b.pos.x == t.a.pos.x + 7) order.push_back(t.a.pos.y * 1000 + t.a.pos.x);
  CHECK(order.size() == kRects);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("clip rectangles stay those of their shapes") {
  SoftwareDrawingScene scene;
  scene.list->PushClipRect({0, 0}, {100, 100});
  scene.list->AddRectFilled({0, 0}, {10, 10}, IM_COL32(1, 2, 3, 255));
  scene.list->PopClipRect();
  scene.list->PushClipRect({50, 50}, {60, 60});
  scene.list->AddRectFilled({50, 50}, {70, 70}, IM_COL32(1, 2, 3, 255));
  scene.list->PopClipRect();
  scene.rewrite();
  std::vector<float> clips;
  for (const ImDrawCmd& command : scene.list->CmdBuffer)
    if (command.UserCallback == nullptr && command.ElemCount > 0) clips.push_back(command.ClipRect.z);
  CHECK(clips == std::vector<float>{100, 60});
}
