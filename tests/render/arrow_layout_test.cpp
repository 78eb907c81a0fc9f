#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

namespace {

/// One launch with two kernels (a graph), another with one, and a flow between two operators.
Trace linked() {
  return TrackMaker()
      .thread("1", "10")
      .slice("forward", 0, 50)
      .slice("cudaGraphLaunch", 100, 50, "cuda_runtime", 7)
      .slice("cudaLaunchKernel", 200, 20, "cuda_runtime", 8)
      .slice("backward", 300, 100)
      .flow_start("f", 10)
      .flow_end("f", 310)
      .stream("0", "7")
      .slice("k1", 300, 100, "kernel", 7)
      .slice("k2", 500, 100, "kernel", 7)
      .slice("k3", 700, 100, "kernel", 8)
      .thread("1", "11")
      .slice("end", 0, 1000)
      .make();
}

float middle(const DrawSlice& s) {
  return (s.y0 + s.y1 + 1) / 2;
}

}  // namespace

TEST_CASE("a selected launch points at all of its activities") {
  Scene scene(linked());
  scene.input.emphasis.selected = scene.slice("cudaGraphLaunch");
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 2);
  const DrawArrow& arrow = scene.list.arrows[0];
  CHECK(arrow.kind == DrawArrow::Kind::kLaunch);
  CHECK(arrow.from == scene.slice("cudaGraphLaunch"));
  CHECK(arrow.to == scene.slice("k1"));
  CHECK(arrow.x0 == doctest::Approx(150));
  CHECK(arrow.x1 == doctest::Approx(300));
  CHECK(arrow.y0 == doctest::Approx(middle(*scene.drawn("cudaGraphLaunch"))));
  CHECK(arrow.y1 == doctest::Approx(middle(*scene.drawn("k1"))));
  CHECK(scene.list.arrows[1].to == scene.slice("k2"));
}

TEST_CASE("a selected activity points back at its launch") {
  Scene scene(linked());
  scene.input.emphasis.selected = scene.slice("k3");
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 1);
  CHECK(scene.list.arrows[0].from == scene.slice("cudaLaunchKernel"));
  CHECK(scene.list.arrows[0].to == scene.slice("k3"));
}

TEST_CASE("an arrow never points back in time inside its launch") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("launch", 0, 800, "cuda_runtime", 7)
                  .stream("0", "7")
                  .slice("early", 300, 700, "kernel", 7)
                  .make());
  scene.input.emphasis.selected = scene.slice("launch");
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 1);
  CHECK(scene.list.arrows[0].x0 == scene.list.arrows[0].x1);
}

TEST_CASE("flows of the selected slice, from either end") {
  Scene scene(linked());
  for (const char* end : {"forward", "backward"}) {
    scene.input.emphasis.selected = scene.slice(end);
    scene.frame();
    REQUIRE(scene.list.arrows.size() == 1);
    CHECK(scene.list.arrows[0].kind == DrawArrow::Kind::kFlow);
    CHECK(scene.list.arrows[0].x0 == doctest::Approx(10));
    CHECK(scene.list.arrows[0].x1 == doctest::Approx(310));
  }
}

TEST_CASE("a flow that repeats a launch is not drawn twice") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("launch", 0, 100, "cuda_runtime", 7)
                  .flow_start("7", 0)
                  .stream("0", "7")
                  .slice("k", 300, 700, "kernel", 7)
                  .flow_end("7", 300)
                  .make());
  CHECK(scene.trace.links().flows().size() == 1);
  scene.input.emphasis.selected = scene.slice("launch");
  scene.frame();
  CHECK(scene.list.arrows.size() == 1);
}

TEST_CASE("nothing selected, or nothing wanted, no arrows") {
  Scene scene(linked());
  scene.frame();
  CHECK(scene.list.arrows.empty());
  scene.input.emphasis.selected = scene.slice("k3");
  scene.input.emphasis.show_arrows = false;
  scene.frame();
  CHECK(scene.list.arrows.empty());
}

TEST_CASE("ends beyond the view stay near it; arrows that only pass by are left out") {
  Scene scene(linked());
  scene.input.emphasis.selected = scene.slice("cudaGraphLaunch");
  scene.show({100, 160});
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 1);  // both kernels lie at the same place beside the view
  CHECK(scene.list.arrows[0].folded == 2);
  CHECK(scene.list.arrows[0].x1 == 2000);
  scene.show({0, 50});
  scene.frame();
  CHECK(scene.list.arrows.empty());
}

TEST_CASE("thousands of kernels of one graph fold into the pixels they end in") {
  TrackMaker maker;
  maker.thread("1", "10").slice("graph", 0, 100, "cuda_runtime", 7).stream("0", "7");
  for (int i = 0; i < 50'000; ++i) maker.slice("k", 1000 + i * 10, 5, "kernel", 7);
  Scene scene(maker.make());
  scene.input.emphasis.selected = scene.slice("graph");
  scene.frame();
  std::uint64_t count = 0;
  for (const DrawArrow& arrow : scene.list.arrows) count += arrow.folded;
  CHECK(count == 50'000);
  CHECK(scene.list.arrows.size() <= 1001);
}

TEST_CASE("arrows end at what stands for a folded slice") {
  Scene scene(linked());
  scene.input.emphasis.selected = scene.slice("k3");
  scene.input.arrangement.collapsed_processes.resize(scene.trace.processes().size(), 1);
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 1);
  CHECK(scene.list.arrows[0].y0 < 26);
  CHECK(scene.list.arrows[0].y1 > 26);
  CHECK(scene.list.arrows[0].y1 < 52);
}

TEST_CASE("all flows: those of every slice in view, once each, paler than the selected one's") {
  Scene scene(linked());
  scene.input.emphasis.show_all_arrows = true;
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 4);  // two of the graph, one launch, one flow
  for (const DrawArrow& arrow : scene.list.arrows) CHECK(arrow.is_pale);
  scene.input.emphasis.selected = scene.slice("k3");
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 4);
  CHECK(!scene.list.arrows.back().is_pale);
  CHECK(scene.list.arrows.back().to == scene.slice("k3"));
  // The launch is out of view: the kernel still has its arrow.
  scene.input.emphasis.selected = {};
  scene.show({650, 900});
  scene.frame();
  REQUIRE(!scene.list.arrows.empty());
  CHECK(scene.list.arrows[0].to == scene.slice("k3"));
}

TEST_CASE("the arrow that is followed next stands out") {
  Scene scene(linked());
  scene.input.emphasis.selected = scene.slice("cudaGraphLaunch");
  scene.input.emphasis.focused_from = scene.slice("cudaGraphLaunch");
  scene.input.emphasis.focused_to = scene.slice("k2");
  scene.frame();
  REQUIRE(scene.list.arrows.size() == 2);
  CHECK(!scene.list.arrows[0].is_focused);
  CHECK(scene.list.arrows[1].is_focused);
}
