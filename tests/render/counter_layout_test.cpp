#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/render/scene.h"

using namespace lacuna;

namespace {

/// Top and bottom of the counter's scale in the frame.
struct Scale {
  float top, bottom;
};
Scale scale_of(const Scene& scene) {
  const TrackPlace& place = scene.vertical.tracks.back();
  return {place.lanes_y0, place.y1 - (place.lanes_y0 - place.y0)};
}

}  // namespace

TEST_CASE("samples are steps from each to the next, over a base line at zero") {
  Scene scene(TrackMaker().counter("1", "memory", {{0, 10.0}, {400, 20.0}, {600, 0.0}, {1000, 5.0}}).make());
  scene.frame();
  const auto& steps = scene.list.counter_steps;
  REQUIRE(steps.size() == 3);  // the last sample lasts no time
  const Scale scale = scale_of(scene);
  CHECK(steps[0].x0 == doctest::Approx(0));
  CHECK(steps[0].x1 == doctest::Approx(400));
  CHECK(steps[1].x0 == steps[0].x1);
  CHECK(steps[1].y == doctest::Approx(scale.top));
  CHECK(steps[0].y == doctest::Approx((scale.top + scale.bottom) / 2));
  CHECK(steps[2].y == doctest::Approx(scale.bottom));
  for (const DrawCounterStep& step : steps) CHECK(step.y_base == doctest::Approx(scale.bottom));
  CHECK(steps[1].index == 1);
}

TEST_CASE("the last sample lasts to the end of the trace") {
  Scene scene(
      TrackMaker().thread("1", "10").slice("op", 0, 1000).counter("1", "memory", {{200, 10.0}, {500, 20.0}}).make());
  scene.frame();
  REQUIRE(scene.list.counter_steps.size() == 2);
  CHECK(scene.list.counter_steps[0].x0 == doctest::Approx(200));  // nothing before the first
  CHECK(scene.list.counter_steps[1].x1 == doctest::Approx(1000));
}

TEST_CASE("negative values hang below the base line") {
  Scene scene(TrackMaker().counter("1", "balance", {{0, -10.0}, {500, 30.0}, {1000, 0.0}}).make());
  scene.frame();
  const auto& steps = scene.list.counter_steps;
  const Scale scale = scale_of(scene);
  CHECK(steps[0].y == doctest::Approx(scale.bottom));
  CHECK(steps[1].y == doctest::Approx(scale.top));
  CHECK(steps[0].y_base == doctest::Approx(scale.bottom - (scale.bottom - scale.top) / 4));
}

TEST_CASE("samples that share a pixel become one step from the least to the greatest") {
  std::vector<std::pair<Nanos, double>> samples;
  for (int i = 0; i < 100'000; ++i) samples.emplace_back(i * 10, i == 55'555 ? 1000.0 : i % 2 == 0 ? 100.0 : 200.0);
  Scene scene(TrackMaker().counter("1", "memory", samples).make());
  scene.frame();
  CHECK(scene.list.counter_steps.size() <= 1002);
  const Scale scale = scale_of(scene);
  std::uint64_t folded = 0;
  bool has_peak = false;
  for (const DrawCounterStep& step : scene.list.counter_steps) {
    folded += step.folded;
    if (step.folded < 2) continue;
    CHECK(step.y < step.y_low);
    CHECK(step.y_low == doctest::Approx(scale.bottom - 0.1f * (scale.bottom - scale.top)));
    if (step.index == 55'555) {
      has_peak = true;
      CHECK(step.y == doctest::Approx(scale.top));
    }
  }
  CHECK(has_peak);
  CHECK(folded >= 99'999);
}

TEST_CASE("the scale stays the same at every zoom") {
  Scene scene(TrackMaker().counter("1", "memory", {{0, 10.0}, {400, 20.0}, {600, 40.0}, {1000, 5.0}}).make());
  scene.frame();
  const float y = scene.list.counter_steps[0].y;
  scene.show({0, 300});
  scene.frame();
  REQUIRE(scene.list.counter_steps.size() == 1);
  CHECK(scene.list.counter_steps[0].y == y);
  CHECK(scene.list.counter_steps[0].x0 == doctest::Approx(0));
  CHECK(scene.list.counter_steps[0].x1 == 1001);
}

TEST_CASE("a flat zero and values that are not numbers are harmless") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Scene zero(TrackMaker().counter("1", "c", {{0, 0.0}, {1000, 0.0}}).make());
  zero.frame();
  CHECK(zero.list.counter_steps[0].y == zero.list.counter_steps[0].y_base);
  Scene odd(
      TrackMaker().counter("1", "c", {{0, kNan}, {10, INFINITY}, {500, -1e308}, {700, 1e308}, {1000, 1.0}}).make());
  odd.frame();
  for (const DrawCounterStep& step : odd.list.counter_steps) {
    CHECK(std::isfinite(step.y));
    CHECK(std::isfinite(step.y_low));
    CHECK(std::isfinite(step.y_base));
  }
}

TEST_CASE("instants are marks in the strip above the lanes, one per pixel") {
  TrackMaker maker;
  maker.thread("1", "10").slice("op", 0, 1'000'000).slice("inner", 1, 10);
  for (int i = 0; i < 5; ++i) maker.instant("tick", 500'000 + i);
  maker.instant("alone", 250'000);
  Scene scene(maker.make());
  scene.frame();
  REQUIRE(scene.list.instants.size() == 2);
  CHECK(scene.list.instants[0].x == doctest::Approx(250));
  CHECK(scene.list.instants[0].folded == 1);
  CHECK(scene.list.instants[1].folded == 5);
  CHECK(scene.list.instants[1].index == 1);
  CHECK(scene.list.instants[0].y1 == scene.vertical.tracks[0].lanes_y0);
  CHECK(scene.list.instants[0].y1 - scene.list.instants[0].y0 == 7);
  CHECK(scene.list.rows[0].y0 >= scene.list.instants[0].y1);
}

TEST_CASE("instants of a track without slices take its height") {
  Scene scene(TrackMaker().thread("1", "10").instant("a", 0).instant("b", 100).make());
  scene.frame();
  REQUIRE(!scene.list.instants.empty());
  const TrackPlace& place = scene.vertical.tracks[0];
  CHECK(scene.list.instants[0].y0 == place.y0);
  CHECK(scene.list.instants[0].y1 == place.y1);
}
