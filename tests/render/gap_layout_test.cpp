#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

namespace {

/// Kernels of 100 ns with the given gaps between them, on stream 7 of GPU 0.
Trace with_gaps(const std::vector<Nanos>& gaps) {
  TrackMaker maker;
  maker.stream("0", "7").slice("k", 0, 100);
  Nanos t = 100;
  for (const Nanos gap : gaps) {
    t += gap;
    maker.slice("k", t, 100);
    t += 100;
  }
  return maker.make();
}

}  // namespace

TEST_CASE("gaps lie between activities over the height of the first row") {
  Scene scene(with_gaps({200, 300}));  // 0-100, 300-400, 700-800
  scene.show({0, 1000});
  scene.frame();
  REQUIRE(scene.list.gaps.size() == 2);
  const DrawGap& gap = scene.list.gaps[0];
  CHECK(gap.x0 == doctest::Approx(100));
  CHECK(gap.x1 == doctest::Approx(300));
  CHECK(gap.start == 100);
  CHECK(gap.end == 300);
  CHECK(gap.label == "200 ns");
  CHECK(gap.folded == 1);
  CHECK(gap.y0 == scene.list.rows[0].y0);
  CHECK(gap.y1 == scene.list.rows[0].y1);
  CHECK(scene.list.gaps[1].intensity > gap.intensity);
}

TEST_CASE("overlapping kernels leave no gap, and gaps stay on the first row") {
  Scene scene(TrackMaker().stream("0", "7").slice("a", 0, 100).slice("b", 50, 100).slice("c", 300, 100).make());
  scene.frame();
  REQUIRE(scene.list.gaps.size() == 1);
  CHECK(scene.list.gaps[0].start == 150);
  CHECK(scene.list.gaps[0].y1 - scene.list.gaps[0].y0 == 17);
}

TEST_CASE("a gap is labelled when its duration fits") {
  Scene scene(with_gaps({200}));
  scene.input.view.metrics.glyph_px = 7;            // "200 ns" is 42 px and 8 px of padding
  scene.input.view.camera = Camera::at(0, 0, 4.1);  // 48 px
  scene.frame();
  CHECK(scene.list.gaps[0].label.empty());
  scene.input.view.camera = Camera::at(0, 0, 3.9);  // 51 px
  scene.frame();
  CHECK(scene.list.gaps[0].label == "200 ns");
  scene.input.view.camera = Camera::at(160, 0, 3.9);  // only 35 px of it in view
  scene.frame();
  CHECK(scene.list.gaps[0].label.empty());
}

TEST_CASE("tiny gaps share a rectangle that tells of the longest") {
  std::vector<Nanos> gaps(1000, 50);
  gaps[500] = 90;
  Scene scene(with_gaps(gaps));
  scene.show({0, 10'000'000});  // 10 us per pixel: all in 15 pixels
  {
    scene.frame();
    std::uint64_t count = 0;
    bool found = false;
    for (const DrawGap& gap : scene.list.gaps) {
      count += gap.folded;
      CHECK(gap.x1 - gap.x0 >= 0.5f);
      CHECK(gap.label.empty());
      if (gap.gap == 500) {
        found = true;
        CHECK(gap.end - gap.start == 90);
      }
    }
    CHECK(count == 1000);
    CHECK(found);
    CHECK(scene.list.gaps.size() <= 17);
  }
}

TEST_CASE("short gaps can be left out, and all of them") {
  Scene scene(with_gaps({200, 300}));
  scene.input.emphasis.min_gap_ns = 250;
  scene.frame();
  REQUIRE(scene.list.gaps.size() == 1);
  CHECK(scene.list.gaps[0].gap == 1);
  scene.input.emphasis.min_gap_ns = 0;
  scene.input.emphasis.show_gaps = false;
  scene.frame();
  CHECK(scene.list.gaps.empty());
}

TEST_CASE("the selected gap is marked") {
  Scene scene(with_gaps({200, 300}));
  scene.input.emphasis.selected_gap_stream = 0;
  scene.input.emphasis.selected_gap = 1;
  scene.frame();
  CHECK_FALSE(scene.list.gaps[0].is_selected);
  CHECK(scene.list.gaps[1].is_selected);
}

TEST_CASE("intensity is between a thousandth of the view and all of it") {
  Scene scene(with_gaps({1'000'000}));
  scene.show({200, 900'000});  // the gap fills the view
  scene.frame();
  CHECK(scene.list.gaps[0].intensity == 1);
  scene.show({0, 2'000'000'000});
  scene.frame();
  CHECK(scene.list.gaps[0].intensity == 0);
  scene.show({0, 31'622'776});  // 1/31.6: half of three decades
  scene.frame();
  CHECK(scene.list.gaps[0].intensity == doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("without an analysis there are no gaps") {
  Scene scene(with_gaps({200}));
  scene.input.data.streams = nullptr;
  scene.input.data.busy = nullptr;
  scene.frame();
  CHECK(scene.list.gaps.empty());
  CHECK(scene.list.slices.size() == 2);
}

TEST_CASE("a gap shows its cause once that is known, in words where there is room") {
  Scene scene(with_gaps({200, 300}));
  scene.show({0, 1000});
  scene.frame();
  CHECK(!scene.list.gaps[0].has_cause);
  CHECK(!scene.list.gaps[0].shows_cause);
  std::vector<SharedVector<GapDiagnosis>> diagnoses(1);
  for (const GapCause cause : {GapCause::kDataLoading, GapCause::kLaunchBound}) {
    GapDiagnosis diagnosis;
    diagnosis.cause = cause;
    diagnoses[0].push_back(diagnosis);
  }
  scene.input.data.diagnoses = &diagnoses;
  scene.frame();
  REQUIRE(scene.list.gaps.size() == 2);
  CHECK(scene.list.gaps[0].has_cause);
  CHECK(scene.list.gaps[0].cause == GapCause::kDataLoading);
  CHECK(scene.list.gaps[1].cause == GapCause::kLaunchBound);
  CHECK(scene.list.gaps[0].shows_cause);
  CHECK(scene.list.gaps[0].label == "200 ns");
  // Room for the number only.
  scene.input.view.camera = Camera::at(0, 0, 2.5);
  scene.frame();
  CHECK(scene.list.gaps[0].label == "200 ns");
  CHECK(!scene.list.gaps[0].shows_cause);
}

TEST_CASE("when gaps are marked, the others are dimmed; a fold with a marked one is not") {
  Scene scene(with_gaps({200, 300, 200}));
  scene.input.emphasis.marked_gaps = {{0, 1}};
  scene.frame();
  REQUIRE(scene.list.gaps.size() == 3);
  CHECK(scene.list.gaps[0].is_dimmed);
  CHECK(!scene.list.gaps[1].is_dimmed);
  CHECK(scene.list.gaps[2].is_dimmed);
  scene.input.view.camera = Camera::at(0, 0, 100'000);
  scene.frame();
  for (const DrawGap& gap : scene.list.gaps) CHECK(!gap.is_dimmed);
  scene.input.emphasis.marked_gaps.clear();
  scene.show({0, 1500});
  scene.frame();
  for (const DrawGap& gap : scene.list.gaps) CHECK(!gap.is_dimmed);
}
