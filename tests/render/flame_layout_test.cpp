#include "render/flame_layout.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// A tree of one wide and many narrow frames: root > a (60 %) > b, and 400 frames of 0.1 %.
struct FlameScene {
  Trace trace;
  CallTree tree;
  Palette palette{true};
  NameHues hues;
  FlameInput input;
  FlameDrawList list;

  FlameScene() {
    TraceMaker make;
    make.thread("a", 0, 600'000).thread("b", 0, 450'000);
    for (int i = 0; i < 400; ++i) {
      const std::string name =
          "narrow" + std::string(1, static_cast<char>('a' + i % 20)) + std::string(1, static_cast<char>('a' + i / 20));
      make.thread(name, 600'000 + i * 1'000, 601'000 + i * 1'000);
    }
    trace = make.build();
    tree = build_call_tree(trace, {});
    hues = NameHues(trace.strings());
    input.trace = &trace;
    input.tree = &tree;
    input.palette = &palette;
    input.names = &trace.strings();
    input.hues = &hues;
    input.width = 500;
    input.height = 400;
    input.row_height = 20;
  }
  std::uint32_t node(std::string_view name) const {
    for (std::uint32_t n = 1; n < tree.nodes.size(); ++n)
      if (call_label(trace, tree.nodes[n].key) == name) return n;
    return 0;
  }
  const FlameRect* rect(std::uint32_t node) const {
    const auto found = std::ranges::find(list.rects, node, &FlameRect::node);
    return found == list.rects.end() ? nullptr : &*found;
  }
};

TEST_CASE("a frame is as wide as its part, and narrow ones share a rectangle") {
  FlameScene scene;
  layout_flames(scene.input, scene.list);
  CHECK(scene.list.content_height == 60);
  REQUIRE(scene.rect(0) != nullptr);
  CHECK(scene.rect(0)->x1 == 500);
  const FlameRect* a = scene.rect(scene.node("a"));
  REQUIRE(a != nullptr);
  CHECK(a->x0 == 0);
  CHECK(a->x1 == doctest::Approx(300));
  CHECK(a->y0 == 20);
  CHECK(scene.rect(scene.node("b"))->x1 == doctest::Approx(225));
  // 400 frames of half a pixel.
  const FlameRect& rest = *std::ranges::find(scene.list.rects, 400u, &FlameRect::folded);
  CHECK(rest.x0 == doctest::Approx(300));
  CHECK(rest.x1 == doctest::Approx(500));
  CHECK_FALSE(rest.has_label);
  CHECK(scene.list.rects.size() == 4);
  for (std::size_t i = 1; i < scene.list.rects.size(); ++i) {
    const FlameRect& before = scene.list.rects[i - 1];
    const FlameRect& next = scene.list.rects[i];
    CHECK((next.y0 > before.y0 || next.x0 >= before.x1));
  }
  CHECK(flame_at(scene.list, 100, 30) == a);
  CHECK(flame_at(scene.list, 250, 50) == nullptr);
}

TEST_CASE("wider, the narrow ones are drawn alone") {
  FlameScene scene;
  scene.input.width = 4'000;
  layout_flames(scene.input, scene.list);
  CHECK(scene.list.rects.size() == 403);
  CHECK(std::ranges::all_of(scene.list.rects, [](const FlameRect& r) { return r.folded == 1; }));
}

TEST_CASE("zoomed to a frame, it fills the width below what is around it") {
  FlameScene scene;
  scene.input.zoomed = scene.node("b");
  layout_flames(scene.input, scene.list);
  REQUIRE(scene.list.rects.size() == 3);
  CHECK(scene.list.rects[0].is_around);
  CHECK(scene.list.rects[1].is_around);
  CHECK(scene.list.rects[1].node == scene.node("a"));
  CHECK_FALSE(scene.list.rects[2].is_around);
  CHECK(scene.list.rects[2].x1 == 500);
  CHECK(scene.list.rects[2].y0 == 40);
}

TEST_CASE("only rows in view are drawn; what the search did not find is dimmed") {
  FlameScene scene;
  scene.input.scroll_y = 20;
  scene.input.height = 20;
  std::vector<std::uint8_t> matches(scene.tree.nodes.size());
  matches[scene.node("a")] = 1;
  scene.input.matches = &matches;
  layout_flames(scene.input, scene.list);
  CHECK(scene.list.content_height == 60);
  REQUIRE(scene.list.rects.size() == 2);
  CHECK(scene.list.rects[0].y0 == 0);
  CHECK_FALSE(scene.list.rects[0].is_dimmed);
  CHECK(scene.list.rects[1].is_dimmed);
}

}  // namespace
}  // namespace lacuna
