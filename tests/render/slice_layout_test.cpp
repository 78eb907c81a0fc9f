#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

TEST_CASE("nested slices lie in rows of their track, at their times") {
  Scene scene(TrackMaker().thread("1", "10").slice("outer", 0, 1000).slice("inner", 200, 300).make());
  const TimelineDrawList& list = scene.frame();
  REQUIRE(list.slices.size() == 2);
  REQUIRE(list.rows.size() == 2);
  const DrawSlice& outer = *scene.drawn("outer");
  const DrawSlice& inner = *scene.drawn("inner");
  CHECK(outer.x0 == doctest::Approx(0));
  CHECK(outer.x1 == doctest::Approx(1000));
  CHECK(inner.x0 == doctest::Approx(200));
  CHECK(inner.x1 == doctest::Approx(500));
  CHECK(inner.y0 == outer.y0 + 18);
  CHECK(outer.y1 == outer.y0 + 17);  // a pixel between rows
  CHECK(outer.folded == 1);
  CHECK(outer.has_label);
  CHECK(outer.fill == scene.palette.slice("outer", CategoryClass::kCpuOperator));
  CHECK_FALSE(outer.is_gpu);
  CHECK(list.rows[0].lane.value + 1 == list.rows[1].lane.value);
}

TEST_CASE("what is wider than the view is clipped, its label lies in the visible part") {
  Scene scene(TrackMaker().thread("1", "10").slice("long", 0, 1'000'000).slice("tail", 1'000'000, 10).make());
  scene.show({400'000, 500'000});
  const TimelineDrawList& list = scene.frame();
  REQUIRE(list.slices.size() == 1);
  CHECK(list.slices[0].x0 == -1);
  CHECK(list.slices[0].x1 == 1001);
  CHECK(list.slices[0].label_x0 == 0);
  CHECK(list.slices[0].label_x1 == 1000);
}

TEST_CASE("a zero-length slice is seen, between neighbours as well") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("a", 0, 500)
                  .slice("point", 500, 0)
                  .slice("b", 500, 500)
                  .slice("alone", 1200, 0)
                  .slice("last", 2000, 0)
                  .make());
  scene.show({0, 2000});  // 2 ns per pixel
  scene.frame();
  for (const char* name : {"a", "point", "b", "alone"}) {
    CAPTURE(name);
    REQUIRE(scene.drawn(name) != nullptr);
    CHECK(scene.drawn(name)->x1 - scene.drawn(name)->x0 >= 1);
    CHECK(scene.drawn(name)->folded == 1);
  }
  CHECK(scene.drawn("alone")->x0 == doctest::Approx(600));
  CHECK(scene.drawn("alone")->x1 == doctest::Approx(601));
}

TEST_CASE("slices too small to tell apart share a rectangle that shows the longest and the count") {
  TrackMaker maker;
  maker.thread("1", "10").slice("frame", 0, 1'000'000);
  for (int i = 0; i < 10; ++i) maker.slice(i == 6 ? "longest" : "short", 100'000 + i * 100, i == 6 ? 90 : 40);
  Scene scene(maker.make());  // 1000 ns per pixel
  scene.frame();
  REQUIRE(scene.drawn("longest") != nullptr);
  const DrawSlice& folded = *scene.drawn("longest");
  CHECK(folded.folded == 10);
  CHECK(folded.first == 0);
  CHECK(folded.x0 == doctest::Approx(100));
  CHECK(folded.x1 == doctest::Approx(101));
  CHECK_FALSE(folded.has_label);
  CHECK(folded.fill == scene.palette.slice("longest", CategoryClass::kCpuOperator));
  CHECK(scene.drawn("short") == nullptr);
}

TEST_CASE("GPU work and unfinished slices are marked") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("op", 0, 100, "cpu_op", 0, kSliceUnfinished)
                  .stream("0", "7")
                  .slice("gemm", 0, 50)
                  .slice("copy", 60, 20, "gpu_memcpy")
                  .annotations("0", "7")
                  .slice("step", 0, 100)
                  .make());
  scene.frame();
  CHECK(scene.drawn("op")->is_unfinished);
  CHECK_FALSE(scene.drawn("op")->is_gpu);
  CHECK(scene.drawn("gemm")->is_gpu);
  CHECK(scene.drawn("copy")->is_gpu);
  CHECK(scene.drawn("step")->is_gpu);
  CHECK_FALSE(scene.drawn("gemm")->is_unfinished);
}

TEST_CASE("overlapping kernels lie in sub-lanes") {
  Scene scene(TrackMaker().stream("0", "7").slice("a", 0, 100).slice("b", 50, 100).make());
  scene.frame();
  CHECK(scene.drawn("b")->y0 > scene.drawn("a")->y0);
  CHECK(scene.list.rows.size() == 2);
}

TEST_CASE("the selected slice is marked, folded or not") {
  TrackMaker maker;
  maker.thread("1", "10").slice("frame", 0, 1'000'000);
  for (int i = 0; i < 10; ++i) maker.slice(i == 3 ? "wanted" : "other", 100'000 + i * 100, i == 6 ? 90 : 40);
  Scene scene(maker.make());
  scene.input.emphasis.selected = scene.slice("wanted");
  scene.frame();
  int marked = 0;
  for (const DrawSlice& s : scene.list.slices) marked += s.is_selected ? 1 : 0;
  CHECK(marked == 1);
  CHECK(scene.drawn("other")->is_selected);  // it stands for the fold
  CHECK_FALSE(scene.drawn("frame")->is_selected);
  scene.input.emphasis.selected = {};
  scene.frame();
  CHECK_FALSE(scene.drawn("other")->is_selected);
}

TEST_CASE("a highlighted name dims the others") {
  Scene scene(TrackMaker().thread("1", "10").slice("a", 0, 100).slice("b", 200, 100).make());
  scene.frame();
  CHECK_FALSE(scene.drawn("a")->is_highlighted);
  CHECK_FALSE(scene.drawn("b")->is_dimmed);
  scene.input.emphasis.highlighted_name = scene.trace.strings().find("a");
  scene.frame();
  CHECK(scene.drawn("a")->is_highlighted);
  CHECK_FALSE(scene.drawn("a")->is_dimmed);
  CHECK(scene.drawn("b")->is_dimmed);
}

TEST_CASE("rectangles tell how much of them is covered by slices") {
  TrackMaker maker;
  maker.stream("0", "7");
  for (int i = 0; i < 100'000; ++i) maker.slice("k", i * 100, 25);
  maker.thread("1", "1").slice("long", 0, 5'000'000).slice("point", 7'000'000, 0);
  Scene scene(maker.make());  // 10 us per pixel: a hundred kernels
  for (const bool has_folds : {true, false}) {
    scene.input.data.folds = has_folds ? &scene.folds : nullptr;
    scene.show({2'000'000, 12'000'000});
    scene.frame();
    REQUIRE(scene.list.slices.size() > 300);
    for (const DrawSlice& s : scene.list.slices) {
      if (s.folded > 1 && has_folds && s.x0 > 3 && s.x1 < 790) {  // kernels end at 800
        CHECK(s.coverage > 0.2f);
        CHECK(s.coverage < 0.3f);
      }
    }
    CHECK(scene.drawn("long")->coverage == 1);
    CHECK(scene.drawn("point")->coverage == 0);
  }
}

TEST_CASE("hues may be missing") {
  Scene scene(TrackMaker().thread("1", "10").slice("aten::add", 0, 100).make());
  scene.frame();
  const Rgba with = scene.drawn("aten::add")->fill;
  scene.input.data.hues = nullptr;
  scene.frame();
  CHECK(scene.drawn("aten::add")->fill == with);
}

TEST_CASE("only rows in view are laid out") {
  TrackMaker maker;
  maker.thread("1", "10");
  for (int depth = 0; depth < 300; ++depth) maker.slice("d" + std::to_string(depth), depth, 1000 - 2 * depth);
  Scene scene(maker.make());
  scene.input.view.scroll_y = 1000;
  scene.frame();
  REQUIRE(!scene.list.rows.empty());
  CHECK(scene.list.rows.size() <= 600 / 18 + 2);
  CHECK(scene.list.rows.front().y1 > 0);
  CHECK(scene.list.rows.front().y0 <= 1);  // a pixel lies between rows
  CHECK(scene.list.rows.back().y0 < 600);
  CHECK(scene.list.rows.back().y1 >= 600 - 18);
}

TEST_CASE("a collapsed track has at most four low rows without labels") {
  TrackMaker maker;
  maker.thread("1", "10");
  for (int depth = 0; depth < 10; ++depth) maker.slice("d" + std::to_string(depth), depth, 1000 - 2 * depth);
  Scene scene(maker.make());
  scene.input.arrangement.tracks.resize(scene.trace.tracks().size());
  scene.input.arrangement.tracks[scene.track("thread 10").value].is_collapsed = true;
  scene.frame();
  CHECK(scene.list.rows.size() == 4);
  for (const DrawSlice& s : scene.list.slices) {
    CHECK_FALSE(s.has_label);
    CHECK(s.y1 - s.y0 == 4);
  }
}

TEST_CASE("slices one nanosecond long are told apart at the deepest zoom, at Unix times") {
  constexpr Nanos kBase = 1'700'000'000'000'000'000;
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("first", kBase, 1)
                  .slice("second", kBase + 1, 1)
                  .slice("week later", kBase + 604'800'000'000'000, 5)
                  .make());
  scene.input.view.camera = Camera::at(kBase, 0.5, 0.002);  // 500 px a ns
  scene.frame();
  CHECK(scene.drawn("first")->x0 == -1);
  CHECK(scene.drawn("first")->x1 == doctest::Approx(250));
  CHECK(scene.drawn("second")->x0 == doctest::Approx(250));
  CHECK(scene.drawn("second")->x1 == doctest::Approx(750));
  CHECK(scene.drawn("week later") == nullptr);
}

TEST_CASE("coloured by class, GPU work has the colours of classes") {
  Scene scene(TrackMaker()
                  .thread("1", "10")
                  .slice("gemm", 0, 100)
                  .stream("0", "7")
                  .slice("sgemm", 0, 100, "kernel")
                  .slice("Memcpy HtoD", 200, 100, "gpu_memcpy")
                  .make());
  NameClasses classes;
  scene.input.data.classes = &classes;
  scene.palette.colour_by_class(true);
  scene.frame();
  CHECK(scene.drawn("sgemm")->fill == scene.palette.of_class(KernelClass::kGemm).fill);
  CHECK(scene.drawn("Memcpy HtoD")->fill == scene.palette.of_class(KernelClass::kCopy).fill);
  CHECK(scene.drawn("gemm")->fill == Palette(scene.palette.is_dark()).slice("gemm", CategoryClass::kCpuOperator));
}
