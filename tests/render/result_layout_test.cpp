#include "render/result_layout.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "model/query/result_track.h"
#include "render/plot_layout.h"
#include "render/timeline_layout.h"

namespace lacuna {
namespace {

/// Lanes of [begin, end) in us.
ResultTrack track_of(std::vector<std::vector<std::pair<Nanos, Nanos>>> lanes) {
  ResultTrack track;
  track.names = {"a"};
  for (const auto& lane : lanes) {
    auto& out = track.lanes.emplace_back();
    for (const auto& [begin, end] : lane) out.push_back({begin * 1000, end * 1000, 0, 0});
  }
  return track;
}

/// 100 us on 100 pixels.
TimelineViewport hundred_pixels(Nanos begin_us = 0) {
  TimelineViewport view;
  view.camera = Camera::at(begin_us * 1000, 0, 1000);
  view.width_px = 100;
  return view;
}

TEST_CASE("items of a result lie where their times are") {
  std::vector<ResultRect> rects;
  const ResultTrack track = track_of({{{10, 30}, {40, 90}, {200, 300}}, {{15, 20}}});
  layout_result(track, hundred_pixels(), rects);
  REQUIRE(rects.size() == 3);
  CHECK(rects[0].x0 == doctest::Approx(10));
  CHECK(rects[0].x1 == doctest::Approx(30));
  CHECK(rects[1].item == 1);
  CHECK(rects[2].lane == 1);
  // What began before the view and reaches into it.
  layout_result(track, hundred_pixels(50), rects);
  REQUIRE(rects.size() == 1);
  CHECK(rects[0].item == 1);
  CHECK(rects[0].x0 < 0);
  CHECK(rects[0].x1 == doctest::Approx(40));
}

TEST_CASE("narrow items share a rectangle, and a wide one among them keeps its width") {
  std::vector<ResultRect> rects;
  ResultTrack track = track_of({{}});
  for (Nanos t = 10'000; t < 11'000; t += 10) track.lanes[0].push_back({t, t + 5, 0, 0});
  track.lanes[0].push_back({10'999, 50'000, 0, 0});
  layout_result(track, hundred_pixels(), rects);
  REQUIRE(rects.size() == 1);
  CHECK(rects[0].folded == 101);
  CHECK(rects[0].x1 == doctest::Approx(50));
  CHECK(rects[0].item == 100);  // it is that which is seen
}

TEST_CASE("a mark is hit from beside it") {
  std::vector<ResultRect> rects;
  layout_result(track_of({{{10, 10}, {20, 20}}}), hundred_pixels(), rects);
  REQUIRE(rects.size() == 2);
  REQUIRE(result_at(rects, 0, 13, 4) != nullptr);
  CHECK(result_at(rects, 0, 13, 4)->item == 0);
  CHECK(result_at(rects, 0, 17.5f, 4)->item == 1);
  CHECK(result_at(rects, 0, 40, 4) == nullptr);
  CHECK(result_at(rects, 1, 10, 4) == nullptr);
}

TEST_CASE("axes of plots have round ticks around the values") {
  const PlotAxis axis = plot_axis(3, 97, 6);
  CHECK(axis.low == 0);
  CHECK(axis.high == 100);
  CHECK(axis.step == 20);
  CHECK(axis.ticks() == std::vector<double>{0, 20, 40, 60, 80, 100});
  CHECK(plot_axis(-5, -1, 5).high == 0);
  CHECK(plot_axis(3, 97, 6, PlotEnds::kAtValues).low == 3);
  CHECK(plot_axis(3, 97, 6, PlotEnds::kAtValues).ticks() == std::vector<double>{20, 40, 60, 80});
  const PlotAxis far = plot_axis(1000, 1010, 5);  // 0 would take up nearly all of it
  CHECK(far.low >= 990);
  CHECK(far.high <= 1020);
  for (const double value : {0.0, 5.0, -3.0, 1e300, 1e-300}) {
    CAPTURE(value);
    const PlotAxis one = plot_axis(value, value, 5);
    CHECK(one.low < one.high);
    CHECK(one.part(value) >= 0);
    CHECK(one.part(value) <= 1);
    CHECK(one.ticks().size() <= 20);
  }
  const double most = std::numeric_limits<double>::max();
  CHECK(plot_axis(-most, most, 5).low < 0);
}

TEST_CASE("points of a plot are folded by pixel and found by the mouse") {
  const PlotAxis axis = plot_axis(0, 10, 11);
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> xs{0, 5, 5, 10, nothing, 99}, ys{0, 5, 5, 10, 1, 1};
  const auto points = layout_plot(xs, ys, axis, axis, 100, 50);
  REQUIRE(points.size() == 3);
  CHECK(points[0].y == doctest::Approx(50));  // up is less
  CHECK(points[1].folded == 2);
  CHECK(points[2].x == doctest::Approx(100));
  const PlotPoint* found = plot_point_at(points, 53, 25, 8);
  REQUIRE(found != nullptr);
  CHECK(found->row == 1);
  CHECK(plot_point_at(points, 30, 5, 8) == nullptr);
}

}  // namespace
}  // namespace lacuna
