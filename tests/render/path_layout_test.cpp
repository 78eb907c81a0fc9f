#include <doctest/doctest.h>

#include "model/path/path_marks.h"
#include "tests/render/scene.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

/// A launch, its kernel, and the wait for it; a copy stream beside. 150 us on 1000 px.
Trace path_trace() {
  TraceMaker make;
  make.thread("aten::mm", 0, 20'000);
  make.launch("cudaLaunchKernel", 5'000, 10'000, 1).kernel("gemm", 30'000, 130'000, 1);
  make.copy("Memcpy DtoD", 40'000, 50'000, "8");
  make.launch("cudaDeviceSynchronize", 30'000, 135'000, 3);
  make.thread("aten::item", 135'000, 150'000);
  return make.build();
}

struct PathScene : Scene {
  explicit PathScene(Trace made) : Scene(std::move(made)), marks(trace, PathMarks::of(find_critical_path(trace, {}))) {
    input.emphasis.path = &marks;
    input.data.streams = &streams;
  }
  PathMarks marks;
};

TEST_CASE("the path runs through the lanes as bars, with lines from one to the next") {
  PathScene scene(path_trace());
  const TimelineDrawList& list = scene.frame();
  const auto bar_over = [&](float x, float y0) {
    for (const DrawPathBar& bar : list.path_bars)
      if (bar.x0 <= x && x < bar.x1 && bar.y0 == y0) return &bar;
    return static_cast<const DrawPathBar*>(nullptr);
  };
  const DrawSlice* gemm = scene.drawn("gemm");
  REQUIRE(gemm != nullptr);
  const DrawPathBar* running = bar_over((gemm->x0 + gemm->x1) / 2, gemm->y0);
  REQUIRE(running != nullptr);
  CHECK(running->x0 == doctest::Approx(gemm->x0));
  CHECK(running->x1 == doctest::Approx(gemm->x1));
  CHECK_FALSE(running->is_wait);
  // The launch latency lies before it in the same row.
  const DrawPathBar* waiting = bar_over(gemm->x0 - 20, gemm->y0);
  REQUIRE(waiting != nullptr);
  CHECK(waiting->is_wait);
  // From the launch down to the stream, and back when the wait ends.
  REQUIRE(list.path_links.size() >= 2);
  bool goes_down = false, comes_back = false;
  for (const DrawPathLink& link : list.path_links) {
    goes_down |= std::abs(link.x - waiting->x0) < 1;
    comes_back |= std::abs(link.x - running->x1) < 1;
    CHECK(link.y0 < link.y1);
  }
  CHECK(goes_down);
  CHECK(comes_back);
}

TEST_CASE("what is not on the path is dimmed, as long as nothing is highlighted") {
  PathScene scene(path_trace());
  scene.frame();
  CHECK_FALSE(scene.drawn("gemm")->is_dimmed);
  CHECK_FALSE(scene.drawn("aten::item")->is_dimmed);
  CHECK(scene.drawn("Memcpy DtoD")->is_dimmed);
  for (const DrawGap& gap : scene.list.gaps) CHECK(gap.is_dimmed);
  scene.input.emphasis.highlighted_name = scene.trace.strings().find("Memcpy DtoD");
  scene.frame();
  CHECK_FALSE(scene.drawn("Memcpy DtoD")->is_dimmed);
  CHECK(scene.drawn("gemm")->is_dimmed);
  scene.input.emphasis.highlighted_name = StringId{};
  scene.input.emphasis.path = nullptr;
  scene.frame();
  CHECK_FALSE(scene.drawn("Memcpy DtoD")->is_dimmed);
  CHECK(scene.list.path_bars.empty());
}

TEST_CASE("a path of many parts is drawn in bars no narrower than a pixel") {
  TraceMaker make;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const auto t = static_cast<Nanos>(i) * 100;
    make.launch("cudaLaunchKernel", t, t + 40, i + 1);
    make.kernel("k", t + 30'000, t + 30'090, i + 1);
  }
  PathScene scene(make.build());
  CHECK(scene.marks.in_order().size() > 20'000);
  const TimelineDrawList& list = scene.frame();
  CHECK_FALSE(list.path_bars.empty());
  CHECK(list.path_bars.size() < 5'000);
  CHECK(list.path_links.size() < 1'100);
  for (std::size_t i = 1; i < list.path_bars.size(); ++i) {
    const DrawPathBar& before = list.path_bars[i - 1];
    const DrawPathBar& bar = list.path_bars[i];
    CHECK(bar.x1 > bar.x0);
    if (before.y0 == bar.y0 && before.x0 < bar.x0) CHECK(bar.x0 >= before.x1 - 0.01f);
  }
  // Zoomed in each part has its own.
  scene.show({1'000'000, 1'001'000});
  scene.frame();
  CHECK(scene.list.path_bars.size() >= 10);
}

}  // namespace
}  // namespace lacuna
